/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of images: which there are, and one texel as numbers and back. */
#include "orrery/image.h"

#include <math.h>
#include <string.h>

#include "half.h"

/* ---- which there are -------------------------------------------------------------------- */

enum { X = IMAGE_NO_CHANNEL };
enum {
#define IMAGE_ORDER(name, number, channels, r, g, b, a, border)                         \
    CHANNELS_##name = channels, R_##name = r, G_##name = g, B_##name = b, A_##name = a, \
    BORDER_##name = border,
#define IMAGE_DATA(name, number, bytes, kind, packed) \
    BYTES_##name = bytes, KIND_##name = kind, PACKED_##name = packed,
#include "orrery/image_format.def"
#undef IMAGE_ORDER
#undef IMAGE_DATA
};

/* A digit each. */
#define PACKED_CHANNELS(bits) ((bits) > 0xfff ? 4 : 3)

static const struct image_format formats[] = {
#define IMAGE_FORMAT(order_, data_)                                                     \
    {.order = IMAGE_##order_,                                                           \
     .data = IMAGE_##data_,                                                             \
     .texel_bytes = PACKED_##data_ ? BYTES_##data_ : BYTES_##data_ * CHANNELS_##order_, \
     .channels = PACKED_##data_ ? PACKED_CHANNELS(PACKED_##data_) : CHANNELS_##order_,  \
     .channel_bytes = BYTES_##data_,                                                    \
     .kind = KIND_##data_,                                                              \
     .packed = PACKED_##data_,                                                          \
     .srgb = IMAGE_##order_ >= IMAGE_sRGBx && IMAGE_##order_ <= IMAGE_sBGRA,            \
     .depth = (int)IMAGE_##order_ == (int)IMAGE_DEPTH,                                  \
     .border_alpha = BORDER_##order_,                                                   \
     .place = {R_##order_, G_##order_, B_##order_, A_##order_}},
#include "orrery/image_format.def"
#undef IMAGE_FORMAT
};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct image_format *image_format_at(size_t index)
{
    return index < FORMATS ? &formats[index] : NULL;
}

const struct image_format *image_format(uint32_t order, uint32_t data)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].order == order && formats[i].data == data)
            return &formats[i];
    return NULL;
}

const char *image_type_name(enum image_type type)
{
    static const char *const names[] = {"image1d_t", "image1d_buffer_t", "image1d_array_t",
                                        "image2d_t", "image2d_array_t",  "image3d_t"};
    return names[type];
}

void image_level_size(enum image_type type, const uint32_t size[3], uint32_t level, uint32_t out_size[3])
{
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t half = d < image_dimensions(type) ? size[d] >> level : size[d];
        out_size[d] = half ? half : 1;
    }
}

/* ---- samplers ------------------------------------------------------------------------------ */

/* Bits 0-2 addressing, 3 normalized, 4 linear, 5 mip_linear, 16-31 lod_min, 32-47 lod_max. */
static uint64_t lod_bits(float lod)
{
    return lod >= 255 ? 255 << 8 : lod > 0 ? (uint64_t)(lod * 256) : 0;
}

uint64_t sampler_pack(const struct sampler *sampler)
{
    return (uint64_t)sampler->addressing | (uint64_t)sampler->normalized << 3 |
           (uint64_t)sampler->linear << 4 | (uint64_t)sampler->mip_linear << 5 |
           lod_bits(sampler->lod_min) << 16 | lod_bits(sampler->lod_max) << 32;
}

struct sampler sampler_unpack(uint64_t bits)
{
    return (struct sampler){.addressing = (enum image_addressing)(bits & 7),
                            .normalized = bits >> 3 & 1,
                            .linear = bits >> 4 & 1,
                            .mip_linear = bits >> 5 & 1,
                            .lod_min = (float)(bits >> 16 & 0xffff) / 256,
                            .lod_max = (float)(bits >> 32 & 0xffff) / 256};
}

/* ---- sRGB ------------------------------------------------------------------------------------ */

/* Tables, since powf is not the same on every machine. Exact values, rounded once. */
static const float srgb_to_linear[256] = {
    0x0.0p+0f,       0x1.3e4568p-12f, 0x1.3e4568p-11f, 0x1.dd681cp-11f,
    0x1.3e4568p-10f, 0x1.8dd6c2p-10f, 0x1.dd681cp-10f, 0x1.167cbap-9f,
    0x1.3e4568p-9f,  0x1.660e14p-9f,  0x1.8dd6c2p-9f,  0x1.b6a31cp-9f,
    0x1.e1e31ep-9f,  0x1.07c38cp-8f,  0x1.1fcc2cp-8f,  0x1.390ffap-8f,
    0x1.53936cp-8f,  0x1.6f5adep-8f,  0x1.8c6a94p-8f,  0x1.aac6cp-8f,
    0x1.ca7382p-8f,  0x1.eb74e2p-8f,  0x1.06e76cp-7f,  0x1.18c2a6p-7f,
    0x1.2b4e0ap-7f,  0x1.3e8b7cp-7f,  0x1.527cd6p-7f,  0x1.6723eep-7f,
    0x1.7c8292p-7f,  0x1.929a88p-7f,  0x1.a96d92p-7f,  0x1.c0fd68p-7f,
    0x1.d94bbep-7f,  0x1.f25a44p-7f,  0x1.061552p-6f,  0x1.135f3ep-6f,
    0x1.210bb8p-6f,  0x1.2f1b8cp-6f,  0x1.3d8f84p-6f,  0x1.4c6866p-6f,
    0x1.5ba6fap-6f,  0x1.6b4c04p-6f,  0x1.7b5842p-6f,  0x1.8bcc74p-6f,
    0x1.9ca958p-6f,  0x1.adefaap-6f,  0x1.bfa02p-6f,   0x1.d1bb74p-6f,
    0x1.e4425ap-6f,  0x1.f73586p-6f,  0x1.054ad4p-5f,  0x1.0f31bap-5f,
    0x1.194fccp-5f,  0x1.23a55ep-5f,  0x1.2e32c8p-5f,  0x1.38f86p-5f,
    0x1.43f678p-5f,  0x1.4f2d64p-5f,  0x1.5a9d76p-5f,  0x1.664702p-5f,
    0x1.722a56p-5f,  0x1.7e47c8p-5f,  0x1.8a9fa4p-5f,  0x1.97323ap-5f,
    0x1.a3ffd8p-5f,  0x1.b108dp-5f,   0x1.be4d6cp-5f,  0x1.cbcdfap-5f,
    0x1.d98ac6p-5f,  0x1.e7841cp-5f,  0x1.f5ba48p-5f,  0x1.0216cap-4f,
    0x1.096f26p-4f,  0x1.10e65cp-4f,  0x1.187c9p-4f,   0x1.2031e8p-4f,
    0x1.280688p-4f,  0x1.2ffa92p-4f,  0x1.380e2ap-4f,  0x1.404174p-4f,
    0x1.489494p-4f,  0x1.5107acp-4f,  0x1.599adep-4f,  0x1.624e4ep-4f,
    0x1.6b221ep-4f,  0x1.74167p-4f,   0x1.7d2b66p-4f,  0x1.86612p-4f,
    0x1.8fb7cp-4f,   0x1.992f68p-4f,  0x1.a2c83ap-4f,  0x1.ac8256p-4f,
    0x1.b65ddcp-4f,  0x1.c05aecp-4f,  0x1.ca79a8p-4f,  0x1.d4ba3p-4f,
    0x1.df1ca2p-4f,  0x1.e9a12p-4f,   0x1.f447cap-4f,  0x1.ff10bcp-4f,
    0x1.04fe0cp-3f,  0x1.0a84fep-3f,  0x1.101d44p-3f,  0x1.15c6eep-3f,
    0x1.1b8208p-3f,  0x1.214ea6p-3f,  0x1.272cd4p-3f,  0x1.2d1ca2p-3f,
    0x1.331e1ep-3f,  0x1.393158p-3f,  0x1.3f566p-3f,   0x1.458d42p-3f,
    0x1.4bd60ep-3f,  0x1.5230d4p-3f,  0x1.589dap-3f,   0x1.5f1c84p-3f,
    0x1.65ad8ap-3f,  0x1.6c50c4p-3f,  0x1.73063ep-3f,  0x1.79ce06p-3f,
    0x1.80a82ep-3f,  0x1.8794cp-3f,   0x1.8e93ccp-3f,  0x1.95a55ep-3f,
    0x1.9cc986p-3f,  0x1.a40052p-3f,  0x1.ab49cep-3f,  0x1.b2a60ap-3f,
    0x1.ba1512p-3f,  0x1.c196f4p-3f,  0x1.c92bbep-3f,  0x1.d0d37cp-3f,
    0x1.d88e3ep-3f,  0x1.e05c0ep-3f,  0x1.e83cfcp-3f,  0x1.f03116p-3f,
    0x1.f83866p-3f,  0x1.00297ep-2f,  0x1.044072p-2f,  0x1.086116p-2f,
    0x1.0c8b7p-2f,   0x1.10bf86p-2f,  0x1.14fd6p-2f,   0x1.194502p-2f,
    0x1.1d9676p-2f,  0x1.21f1bep-2f,  0x1.2656e4p-2f,  0x1.2ac5ecp-2f,
    0x1.2f3edep-2f,  0x1.33c1cp-2f,   0x1.384e98p-2f,  0x1.3ce56cp-2f,
    0x1.418642p-2f,  0x1.46312p-2f,   0x1.4ae60ep-2f,  0x1.4fa51p-2f,
    0x1.546e2cp-2f,  0x1.59416cp-2f,  0x1.5e1edp-2f,   0x1.630664p-2f,
    0x1.67f82ap-2f,  0x1.6cf428p-2f,  0x1.71fa68p-2f,  0x1.770aecp-2f,
    0x1.7c25bcp-2f,  0x1.814adcp-2f,  0x1.867a54p-2f,  0x1.8bb428p-2f,
    0x1.90f86p-2f,   0x1.9647p-2f,    0x1.9ba01p-2f,   0x1.a10394p-2f,
    0x1.a67192p-2f,  0x1.abea1p-2f,   0x1.b16d14p-2f,  0x1.b6faa4p-2f,
    0x1.bc92c6p-2f,  0x1.c2357ep-2f,  0x1.c7e2d2p-2f,  0x1.cd9acap-2f,
    0x1.d35d6ap-2f,  0x1.d92ab6p-2f,  0x1.df02b8p-2f,  0x1.e4e57p-2f,
    0x1.ead2e8p-2f,  0x1.f0cb26p-2f,  0x1.f6ce2cp-2f,  0x1.fcdcp-2f,
    0x1.017a56p-1f,  0x1.048c18p-1f,  0x1.07a34ap-1f,  0x1.0abfeep-1f,
    0x1.0de208p-1f,  0x1.11099ap-1f,  0x1.1436a8p-1f,  0x1.176932p-1f,
    0x1.1aa13ep-1f,  0x1.1ddecap-1f,  0x1.2121dep-1f,  0x1.246a7ap-1f,
    0x1.27b8ap-1f,   0x1.2b0c54p-1f,  0x1.2e6598p-1f,  0x1.31c46ep-1f,
    0x1.3528dcp-1f,  0x1.3892ep-1f,   0x1.3c028p-1f,   0x1.3f77bcp-1f,
    0x1.42f29ap-1f,  0x1.467318p-1f,  0x1.49f93ep-1f,  0x1.4d850ap-1f,
    0x1.511682p-1f,  0x1.54ada4p-1f,  0x1.584a78p-1f,  0x1.5becfep-1f,
    0x1.5f9538p-1f,  0x1.634328p-1f,  0x1.66f6d4p-1f,  0x1.6ab03ap-1f,
    0x1.6e6f6p-1f,   0x1.723448p-1f,  0x1.75fef4p-1f,  0x1.79cf64p-1f,
    0x1.7da59ep-1f,  0x1.8181a4p-1f,  0x1.856378p-1f,  0x1.894b1cp-1f,
    0x1.8d3892p-1f,  0x1.912bdep-1f,  0x1.9525p-1f,    0x1.9923fep-1f,
    0x1.9d28d8p-1f,  0x1.a13392p-1f,  0x1.a5442cp-1f,  0x1.a95aacp-1f,
    0x1.ad771p-1f,   0x1.b1995ep-1f,  0x1.b5c198p-1f,  0x1.b9efbep-1f,
    0x1.be23d4p-1f,  0x1.c25ddep-1f,  0x1.c69ddcp-1f,  0x1.cae3d2p-1f,
    0x1.cf2fcp-1f,   0x1.d381aap-1f,  0x1.d7d994p-1f,  0x1.dc377ep-1f,
    0x1.e09b6ap-1f,  0x1.e5055cp-1f,  0x1.e97556p-1f,  0x1.edeb5cp-1f,
    0x1.f2676cp-1f,  0x1.f6e98cp-1f,  0x1.fb71bcp-1f,  0x1.0000000000000p+0f,
};

/* The linear value halfway between two neighbours: below it, the lower one. */
static const float srgb_halfway[255] = {
    0x1.3e4568p-13f, 0x1.dd681cp-12f, 0x1.8dd6c2p-11f, 0x1.167cbap-10f, 0x1.660e14p-10f, 0x1.b59f6ep-10f,
    0x1.029864p-9f,  0x1.2a6112p-9f,  0x1.5229bep-9f,  0x1.79f26ap-9f,  0x1.a1e5ap-9f,   0x1.cbf734p-9f,
    0x1.f86806p-9f,  0x1.13a0bep-8f,  0x1.2c4666p-8f,  0x1.46297ap-8f,  0x1.614e6p-8f,   0x1.7db96cp-8f,
    0x1.9b6edap-8f,  0x1.ba72cep-8f,  0x1.dac95ep-8f,  0x1.fc768ap-8f,  0x1.0fbf22p-7f,  0x1.21f234p-7f,
    0x1.34d662p-7f,  0x1.486d8ep-7f,  0x1.5cb98ep-7f,  0x1.71bc32p-7f,  0x1.877748p-7f,  0x1.9dec9p-7f,
    0x1.b51dc8p-7f,  0x1.cd0ca8p-7f,  0x1.e5baep-7f,   0x1.ff2a1ep-7f,  0x1.0cae04p-6f,  0x1.1a291cp-6f,
    0x1.28072ap-6f,  0x1.3648f6p-6f,  0x1.44ef4cp-6f,  0x1.53faeep-6f,  0x1.636ca4p-6f,  0x1.73453p-6f,
    0x1.83855p-6f,   0x1.942dc4p-6f,  0x1.a53f48p-6f,  0x1.b6ba94p-6f,  0x1.c8a062p-6f,  0x1.daf168p-6f,
    0x1.edae5cp-6f,  0x1.006bf6p-5f,  0x1.0a3768p-5f,  0x1.1439d8p-5f,  0x1.1e73ap-5f,   0x1.28e514p-5f,
    0x1.338e8ap-5f,  0x1.3e7056p-5f,  0x1.498acep-5f,  0x1.54de42p-5f,  0x1.606b08p-5f,  0x1.6c316ep-5f,
    0x1.7831c6p-5f,  0x1.846c62p-5f,  0x1.90e192p-5f,  0x1.9d91a4p-5f,  0x1.aa7ce4p-5f,  0x1.b7a3a4p-5f,
    0x1.c5063p-5f,   0x1.d2a4d4p-5f,  0x1.e07fdcp-5f,  0x1.ee9794p-5f,  0x1.fcec46p-5f,  0x1.05bf2p-4f,
    0x1.0d26e4p-4f,  0x1.14ad94p-4f,  0x1.1c5356p-4f,  0x1.24184cp-4f,  0x1.2bfc9cp-4f,  0x1.34006ap-4f,
    0x1.3c23d6p-4f,  0x1.446708p-4f,  0x1.4cca1ep-4f,  0x1.554d4p-4f,   0x1.5df08ep-4f,  0x1.66b428p-4f,
    0x1.6f9836p-4f,  0x1.789cd4p-4f,  0x1.81c228p-4f,  0x1.8b085p-4f,   0x1.946f72p-4f,  0x1.9df7aap-4f,
    0x1.a7a11cp-4f,  0x1.b16beap-4f,  0x1.bb583p-4f,   0x1.c56612p-4f,  0x1.cf95bp-4f,   0x1.d9e72ap-4f,
    0x1.e45a9ep-4f,  0x1.eef02ep-4f,  0x1.f9a7f8p-4f,  0x1.02410ep-3f,  0x1.07bf5cp-3f,  0x1.0d4ef6p-3f,
    0x1.12efecp-3f,  0x1.18a24cp-3f,  0x1.1e6626p-3f,  0x1.243b8ap-3f,  0x1.2a2286p-3f,  0x1.301b2ap-3f,
    0x1.362582p-3f,  0x1.3c41a2p-3f,  0x1.426f94p-3f,  0x1.48af6ap-3f,  0x1.4f0132p-3f,  0x1.5564f8p-3f,
    0x1.5bdacep-3f,  0x1.6262cp-3f,   0x1.68fcep-3f,   0x1.6fa938p-3f,  0x1.7667d8p-3f,  0x1.7d38cep-3f,
    0x1.841c28p-3f,  0x1.8b11f6p-3f,  0x1.921a42p-3f,  0x1.99351ep-3f,  0x1.a06296p-3f,  0x1.a7a2bap-3f,
    0x1.aef594p-3f,  0x1.b65b34p-3f,  0x1.bdd3a6p-3f,  0x1.c55efap-3f,  0x1.ccfd3ep-3f,  0x1.d4ae7cp-3f,
    0x1.dc72c2p-3f,  0x1.e44a2p-3f,   0x1.ec34a4p-3f,  0x1.f43256p-3f,  0x1.fc4348p-3f,  0x1.0233c2p-2f,
    0x1.064f8ep-2f,  0x1.0a750cp-2f,  0x1.0ea442p-2f,  0x1.12dd3ap-2f,  0x1.171ff8p-2f,  0x1.1b6c82p-2f,
    0x1.1fc2dep-2f,  0x1.242316p-2f,  0x1.288d2cp-2f,  0x1.2d0128p-2f,  0x1.317f12p-2f,  0x1.3606eep-2f,
    0x1.3a98c2p-2f,  0x1.3f3496p-2f,  0x1.43da7p-2f,   0x1.488a54p-2f,  0x1.4d444cp-2f,  0x1.52085ap-2f,
    0x1.56d688p-2f,  0x1.5baed8p-2f,  0x1.609154p-2f,  0x1.657ep-2f,    0x1.6a74e2p-2f,  0x1.6f76p-2f,
    0x1.74816p-2f,   0x1.79970ap-2f,  0x1.7eb7p-2f,    0x1.83e14cp-2f,  0x1.8915f2p-2f,  0x1.8e54f8p-2f,
    0x1.939e64p-2f,  0x1.98f23ap-2f,  0x1.9e5084p-2f,  0x1.a3b944p-2f,  0x1.a92c8p-2f,   0x1.aeaa42p-2f,
    0x1.b4328ap-2f,  0x1.b9c562p-2f,  0x1.bf62cep-2f,  0x1.c50ad4p-2f,  0x1.cabd7ap-2f,  0x1.d07ac4p-2f,
    0x1.d642bap-2f,  0x1.dc156p-2f,   0x1.e1f2bcp-2f,  0x1.e7dad4p-2f,  0x1.edcdaep-2f,  0x1.f3cb4ep-2f,
    0x1.f9d3bcp-2f,  0x1.ffe6fap-2f,  0x1.030288p-1f,  0x1.061702p-1f,  0x1.0930eep-1f,  0x1.0c504cp-1f,
    0x1.0f7522p-1f,  0x1.129f72p-1f,  0x1.15cf3ep-1f,  0x1.190488p-1f,  0x1.1c3f54p-1f,  0x1.1f7fa4p-1f,
    0x1.22c57ap-1f,  0x1.2610dap-1f,  0x1.2961c8p-1f,  0x1.2cb844p-1f,  0x1.30145p-1f,   0x1.3375f2p-1f,
    0x1.36dd2ap-1f,  0x1.3a49fcp-1f,  0x1.3dbc6ap-1f,  0x1.413476p-1f,  0x1.44b224p-1f,  0x1.483576p-1f,
    0x1.4bbe6ep-1f,  0x1.4f4d1p-1f,   0x1.52e15ep-1f,  0x1.567b58p-1f,  0x1.5a1b04p-1f,  0x1.5dc064p-1f,
    0x1.616b7ap-1f,  0x1.651c46p-1f,  0x1.68d2dp-1f,   0x1.6c8f16p-1f,  0x1.70511cp-1f,  0x1.7418e6p-1f,
    0x1.77e672p-1f,  0x1.7bb9c8p-1f,  0x1.7f92e8p-1f,  0x1.8371d4p-1f,  0x1.87569p-1f,   0x1.8b411cp-1f,
    0x1.8f317cp-1f,  0x1.9327b4p-1f,  0x1.9723c4p-1f,  0x1.9b25bp-1f,   0x1.9f2d7ap-1f,  0x1.a33b22p-1f,
    0x1.a74ebp-1f,   0x1.ab682p-1f,   0x1.af877ap-1f,  0x1.b3acbep-1f,  0x1.b7d7ecp-1f,  0x1.bc090cp-1f,
    0x1.c0401ap-1f,  0x1.c47d1ep-1f,  0x1.c8c018p-1f,  0x1.cd090ap-1f,  0x1.d157f6p-1f,  0x1.d5acep-1f,
    0x1.da07c8p-1f,  0x1.de68b4p-1f,  0x1.e2cfa2p-1f,  0x1.e73c98p-1f,  0x1.ebaf98p-1f,  0x1.f028a2p-1f,
    0x1.f4a7bap-1f,  0x1.f92ce2p-1f,  0x1.fdb81cp-1f,
};

static uint32_t linear_to_srgb(float linear)
{
    uint32_t low = 0, high = 255; /* the result lies in [low, high] */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (linear > srgb_halfway[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- channels ---------------------------------------------------------------------------------- */

static uint32_t channel_bits(const struct image_format *format)
{
    return format->channel_bytes * 8u;
}

static int32_t sign_extend(uint32_t value, uint32_t bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static float unorm(uint32_t value, uint32_t bits)
{
    return (float)value / (float)((1u << bits) - 1);
}

static float snorm(int32_t value, uint32_t bits)
{
    float x = (float)value / (float)((1u << (bits - 1)) - 1);
    return x < -1.0f ? -1.0f : x;
}

/*
 * To nearest even, NaN as 0. The product is rounded to float first: the preferred conversion of OpenCL C
 * 3.0, 8.3.1.2, is convert_T_sat_rte(value * scale) in float, and programs compare with it bit by bit.
 */
static int32_t round_clamped(float value, int32_t scale, int32_t low)
{
    float x = value * (float)scale;
    return !(x == x) ? 0 : x <= (float)low ? low : x >= (float)scale ? scale : (int32_t)rintf(x);
}

static uint32_t read_channel(const struct image_format *format, const uint8_t *bytes, uint32_t channel)
{
    uint32_t value = 0;
    memcpy(&value, bytes + channel * format->channel_bytes, format->channel_bytes);
    return value;
}

/* Bits of channel c of a packed texel, and how far up it lies. */
static uint32_t packed_bits(const struct image_format *format, uint32_t channel, uint32_t *out_shift)
{
    uint32_t channels = format->channels, shift = 0;
    for (uint32_t c = channels; --c > channel;)
        shift += format->packed >> (4 * (channels - 1 - c)) & 15;
    *out_shift = shift;
    return format->packed >> (4 * (channels - 1 - channel)) & 15;
}

static void fetch_channel(const struct image_format *format, const uint8_t *bytes, uint32_t component,
                          uint32_t channel, union texel *out)
{
    uint32_t shift, width, bits = channel_bits(format);
    if (format->packed) {
        uint32_t value = read_channel(format, bytes, 0);
        width = packed_bits(format, channel, &shift);
        out->f[component] = unorm(value >> shift & ((1u << width) - 1), width);
        return;
    }
    uint32_t value = read_channel(format, bytes, channel);
    switch (format->kind) {
    case 'U':
        out->f[component] = format->srgb && component < 3 ? srgb_to_linear[value] : unorm(value, bits);
        break;
    case 'S': out->f[component] = snorm(sign_extend(value, bits), bits); break;
    case 's': out->i[component] = sign_extend(value, bits); break;
    case 'u': out->u[component] = value; break;
    default: out->f[component] = bits == 16 ? half_to_float((uint16_t)value) : bits_float(value);
    }
}

void image_fetch(const struct image_format *format, const void *bytes, union texel *out_texel)
{
    for (uint32_t c = 0; c < 4; c++) {
        if (format->place[c] != IMAGE_NO_CHANNEL)
            fetch_channel(format, bytes, c, format->place[c], out_texel);
        else if (image_format_integer(format))
            out_texel->u[c] = c == 3;
        else
            out_texel->f[c] = c == 3;
    }
}

static uint32_t clamp_signed(int32_t value, uint32_t bits)
{
    if (bits == 32)
        return (uint32_t)value;
    int32_t high = (int32_t)(1u << (bits - 1)) - 1;
    return (uint32_t)(value > high ? high : value < -high - 1 ? -high - 1 : value);
}

static uint32_t clamp_unsigned(uint32_t value, uint32_t bits)
{
    uint32_t high = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    return value > high ? high : value;
}

static uint32_t store_channel(const struct image_format *format, const union texel *texel, uint32_t component)
{
    uint32_t bits = channel_bits(format);
    switch (format->kind) {
    case 'U':
        if (format->srgb && component < 3)
            return linear_to_srgb(texel->f[component]);
        return (uint32_t)round_clamped(texel->f[component], (int32_t)((1u << bits) - 1), 0);
    case 'S': {
        int32_t high = (int32_t)(1u << (bits - 1)) - 1;
        return (uint32_t)round_clamped(texel->f[component], high, -high - 1);
    }
    case 's': return clamp_signed(texel->i[component], bits);
    case 'u': return clamp_unsigned(texel->u[component], bits);
    default: return bits == 16 ? float_to_half(texel->f[component]) : float_bits(texel->f[component]);
    }
}

/* r is stored last: an intensity takes it, not the others. */
void image_store(const struct image_format *format, const union texel *texel, void *bytes)
{
    uint32_t word = 0, shift, width;
    memset(bytes, 0, format->texel_bytes);
    for (uint32_t c = 4; c-- > 0;) {
        const uint32_t channel = image_format_stored(format, c);
        if (channel == IMAGE_NO_CHANNEL)
            continue;
        if (format->packed) {
            width = packed_bits(format, channel, &shift);
            word |= (uint32_t)round_clamped(texel->f[c], (1 << width) - 1, 0) << shift;
            memcpy(bytes, &word, format->texel_bytes);
        } else {
            word = store_channel(format, texel, c);
            memcpy((uint8_t *)bytes + channel * format->channel_bytes, &word, format->channel_bytes);
        }
    }
}
