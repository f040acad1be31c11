//! global 20 image float 20 0 0 out float 80 out int 8 image uchar 7 5 0 image float 6 5 4
/* One dimension; sizes and formats. */
kernel void test(read_only image1d_t line, global float4 *out, global int *what, read_only image2d_t flat, read_only image3d_t volume)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int g = get_global_id(0);
    out[g] = read_imagef(line, s, g - 3) + read_imagef(line, s, (float)g + 2.5f);
    if (g == 0) {
        what[0] = get_image_width(line);
        what[1] = get_image_width(flat) * 100 + get_image_height(flat);
        what[2] = get_image_width(volume) * 100 + get_image_height(volume) * 10 + get_image_depth(volume);
        what[3] = get_image_channel_data_type(flat) == CLK_UNORM_INT8;
        what[4] = get_image_channel_order(flat) == CLK_RGBA;
        what[5] = get_image_channel_data_type(volume) == CLK_FLOAT;
        what[6] = get_image_dim(flat).y;
        what[7] = get_image_dim(volume).z;
    }
}
