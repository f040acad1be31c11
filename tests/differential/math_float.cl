/* SPDX-License-Identifier: Apache-2.0 */
//! self global 64 out int 1216 small float 64 small float 64
/* Identities that hold within a tolerance. */
bool near(float a, float b) { return fabs(a - b) <= 2e-5f * (1 + fabs(b)) || (isnan(a) && isnan(b)) || a == b; }
kernel void test(global int *ok, global const float *x, global const float *y)
{
    size_t i = get_global_id(0);
    float a = x[i] * 0.37f - 2.1f, b = y[i] * 0.21f + 0.3f, c, s;
    int n;
    global int *o = ok + 19 * i;
    s = sincos(a, &c);
    o[0] = near(s * s + c * c, 1) && near(s, sin(a)) && near(c, cos(a));
    o[1] = near(tan(a) * cos(a), sin(a)) && near(sinpi(a), sin(M_PI_F * a)) && near(cospi(a), cos(M_PI_F * a));
    o[2] = near(exp(log(b)), b) && near(exp2(log2(b)), b) && near(exp10(log10(b)), b);
    o[3] = near(pow(b, 3.0f), b * b * b) && near(powr(b, 0.5f), sqrt(b)) && near(pown(a, 4), a * a * a * a) && near(rootn(b * b * b, 3), b);
    o[4] = near(cbrt(a) * cbrt(a) * cbrt(a), a) && near(rsqrt(b) * sqrt(b), 1);
    o[5] = near(asin(sin(b * 0.3f)), b * 0.3f) && near(acos(cos(b * 0.3f)), b * 0.3f) && near(atan(tan(b * 0.3f)), b * 0.3f);
    o[6] = near(sinh(a), (exp(a) - exp(-a)) / 2) && near(cosh(a), (exp(a) + exp(-a)) / 2) && near(tanh(a) * cosh(a), sinh(a));
    o[7] = near(asinh(sinh(a)), a) && near(acosh(cosh(b)), b) && near(atanh(tanh(a)), a);
    o[8] = near(expm1(a), exp(a) - 1) && near(log1p(b), log(1 + b)) && near(hypot(a, b), sqrt(a * a + b * b));
    o[9] = near(atan2(a, b), atan(a / b)) && near(atan2pi(a, b) * M_PI_F, atan2(a, b)) && near(atanpi(a) * M_PI_F, atan(a));
    o[10] = near(erf(a) + erfc(a), 1) && near(tgamma(b + 1), b * tgamma(b)) && near(lgamma(b), log(fabs(tgamma(b))));
    o[11] = near(lgamma_r(b, &n), lgamma(b)) && n == 1 && near(asinpi(0.5f), 1 / 6.0f) && near(acospi(0.5f), 1 / 3.0f);
    o[12] = near(fma(a, b, 1.0f), a * b + 1) && near(mad(a, b, 1.0f), a * b + 1) && near(fdim(a, b), a > b ? a - b : 0);
    o[13] = near(native_sin(a), sin(a)) && near(native_exp(a), exp(a)) && near(half_sqrt(b), sqrt(b)) && near(native_recip(b), 1 / b);
    int q;
    float r = remquo(a * 7, b, &q);
    o[14] = near(r, remainder(a * 7, b)) && (q & 7) == ((int)rint((a * 7 - r) / b) & 7);
    float whole, part = modf(a * 3, &whole), whole2, part2 = modf(a * 3, &whole2);
    o[15] = part + whole == a * 3 && whole == trunc(a * 3) && whole2 == whole && part2 == part;
    float fl, fr = fract(a * 5, &fl);
    o[16] = fl == floor(a * 5) && near(fr, a * 5 - fl);
    int e, e2;
    float m = frexp(b, &e), m2 = frexp(b, &e2);
    o[17] = ldexp(m, e) == b && m >= 0.5f && m < 1 && e2 == e && m2 == m && ilogb(b) == e - 1 && logb(b) == e - 1;
    o[18] = near(degrees(radians(a)), a) && maxmag(a, b) == (fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b)) && isnan(nan(5u)) && nextafter(b, 9.0f) > b;
}
