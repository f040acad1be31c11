//! global 400 image float 6 5 0 in float 1600 out int 400 self
/* The filter against its formula, by the numbers that nearest gives. */
kernel void test(read_only image2d_t in, global const float4 *where, global int *out)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int g = get_global_id(0);
    float2 uv = fmod(where[g].xy, (float2)(9.0f)) ;
    if (any(isnan(uv)) || any(isinf(uv)))
        uv = (float2)(1.25f, 3.5f);
    float2 from = floor(uv - 0.5f), share = uv - 0.5f - from;
    int2 i = convert_int2(from);
    float4 a = read_imagef(in, nearest, i), b = read_imagef(in, nearest, i + (int2)(1, 0));
    float4 c = read_imagef(in, nearest, i + (int2)(0, 1)), d = read_imagef(in, nearest, i + (int2)(1, 1));
    float4 want = (1 - share.x) * (1 - share.y) * a + share.x * (1 - share.y) * b + (1 - share.x) * share.y * c + share.x * share.y * d;
    float4 got = read_imagef(in, linear, uv);
    out[g] = all(fabs(got - want) <= 1e-4f);
}
