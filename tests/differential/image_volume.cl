//! global 6 5 4 image float 6 5 4 layers float 6 5 4 out float 480 picture float 6 5 4
/* Volumes and layers, and writes into a volume. */
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
kernel void test(read_only image3d_t v, read_only image2d_array_t a, global float4 *out, write_only image3d_t to)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float4 p = read_imagef(v, s, (int4)(x, y, z, 0)), q = read_imagef(v, s, (int4)(x - 1, y + 1, z + 1, 0));
    float4 r = read_imagef(a, s, (int4)(x, y, z, 0));
    out[(z * 5 + y) * 6 + x] = p + 2.0f * q + 4.0f * r;
    write_imagef(to, (int4)(x, y, z, 0), p - r);
}
