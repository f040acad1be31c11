//! global 17 13 image uchar 7 5 0 out float 884
/* Nearest, at coordinates in and around the image: integers, floats, normalised; constant samplers. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void test(read_only image2d_t in, global float4 *out)
{
    const sampler_t unit = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    int2 c = (int2)(x - 5, y - 4);
    float2 f = convert_float2(c) + 0.25f;
    float4 sum = read_imagef(in, edge, c) + 2.0f * read_imagef(in, border, c);
    sum += 4.0f * read_imagef(in, edge, f) + 8.0f * read_imagef(in, border, f);
    sum += 16.0f * read_imagef(in, unit, f / (float2)(7.0f, 5.0f));
    out[y * 17 + x] = rint(sum * 255.0f); /* x / 255 is right to the last bit here, not everywhere */
}
