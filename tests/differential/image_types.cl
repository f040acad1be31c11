//! global 64 image int 8 8 0 image uint 8 8 0 image float 8 8 0 image uchar 8 8 0 image char 8 8 0 out int 256 out uint 256 out float 256 out float 256 out int 256
/* Each sort of number by its function. */
kernel void test(read_only image2d_t i, read_only image2d_t u, read_only image2d_t f, read_only image2d_t n, read_only image2d_t c,
                 global int4 *oi, global uint4 *ou, global float4 *of, global float4 *on, global int4 *oc)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int g = get_global_id(0);
    int2 at = (int2)(g % 8, g / 8);
    oi[g] = read_imagei(i, s, at);
    ou[g] = read_imageui(u, s, at);
    of[g] = read_imagef(f, s, at);
    on[g] = rint(read_imagef(n, s, at) * 255.0f);
    oc[g] = read_imagei(c, s, at);
}
