//! global 40 image uchar 8 5 0 out float 160
/* Images and samplers go through functions; a sampler is chosen where lanes part. */
float4 fetch(read_only image2d_t from, sampler_t how, int2 at) { return read_imagef(from, how, at); }
float4 twice(read_only image2d_t from, sampler_t how, int2 at) { return fetch(from, how, at) + fetch(from, how, at.yx); }
kernel void test(read_only image2d_t in, global float4 *out)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int g = get_global_id(0);
    int2 at = (int2)(g % 10 - 1, g / 10 - 1);
    if (g % 3)
        out[g] = rint(255.0f * twice(in, edge, at));
    else
        for (int i = 0; i < g % 5; i++)
            out[g] = rint(255.0f * twice(in, border, at + i));
}
