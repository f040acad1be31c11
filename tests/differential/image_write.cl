//! global 9 6 picture uchar 9 6 0 picture float 9 6 0 picture int 9 6 0 picture uint 9 6 0 picture char 9 6 0 small float 216
/* What is written comes back as bytes: clamped, rounded. */
kernel void test(write_only image2d_t n, write_only image2d_t f, write_only image2d_t i, write_only image2d_t u, write_only image2d_t c,
                 global const float4 *in)
{
    int x = get_global_id(0), y = get_global_id(1);
    int2 at = (int2)(x, y);
    float4 v = in[y * 9 + x];
    write_imagef(n, at, v / 12.0f - 0.07f);
    write_imagef(f, at, v * 1.5f);
    write_imagei(i, at, convert_int4(v) - 7);
    write_imageui(u, at, convert_uint4(v) * 1000u);
    write_imagei(c, at, convert_int4(v) * 20 - 150);
}
