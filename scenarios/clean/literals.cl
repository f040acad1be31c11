/* SPDX-License-Identifier: Apache-2.0 */
/* Literals of arrays and structures (C99 6.5.2.5): private, one for each work-item, new each time. */
typedef struct { int a[6]; } six;

int of_array(int i)
{
    return ((int[5]){4, 5, 6, 7, 8})[i];
}

int of_struct(six s, int i)
{
    return s.a[i];
}

kernel void read_them(global int *out)
{
    int i = get_global_id(0);
    out[2 * i] = of_array(i % 5);
    out[2 * i + 1] = of_struct((six){{1, 2, 3, 4, 5, 6}}, i % 6);
}

kernel void again(global int *out)
{
    int i = get_global_id(0);
    out[i] = of_array(4 - i % 5) + of_array(i % 5);
}

/* A store to a literal is lost in the next iteration. */
kernel void write_them(global int *out)
{
    int i = get_global_id(0);
    for (int turn = 0; turn < 3; turn++) {
        int *p = (int[6]){10, 20, 30, 40, 50, 60};
        p[i % 6] += turn + i;
        out[i] = p[i % 6];
    }
}
