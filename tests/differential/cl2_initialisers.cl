/* SPDX-License-Identifier: Apache-2.0 */
//! out int 48 options -cl-std=CL2.0
/* Program-scope variables that begin as addresses, structures, unions, vectors and arrays of them; also in functions. */
typedef struct { int a; float b; char c[3]; } item;
typedef struct node { int value; global struct node *next; } node;
typedef struct { short s; item in[2]; union { int i; float f; } u; int2 v; } deep;
global int plain = 7, zero, *to_plain = &plain;
global int array[5] = {1, 2, 3};
global int *to_element = &array[2];
global int *middle = array + 1;
global int *elements[3] = {&array[0], &plain, 0};
global int *global *to_pointer = &to_plain;
constant int table[4] = {10, 20, 30, 40};
constant int *constant to_table = table + 2;
constant int *constant tables[2] = {&table[1], table};
constant item items[2] = {{1, 1.5f, {1, 2, 3}}, {2, 2.5f, "ab"}};
global item writable[2] = {[1] = {.a = 5, .c = {[2] = 9}}};
global node first, last = {3, 0}, mid = {2, &last};
global node first = {1, &mid};
global deep d = {-2, {{1, 2.0f, {3}}, {4, 5.0f, {6, 7, 8}}}, {.f = 1.0f}, (int2)(11, 12)};
constant float4 vector = (float4)(1, 2, 3, 4);
constant char text[] = "hello";
constant char *constant words[2] = {"one", "three"};
constant long wide = 0x123456789abcdefL;
global uchar3 triple = (uchar3)(1, 2, 3);
global size_t size = sizeof(deep);
global int two[2][3] = {{1, 2, 3}, {4, 5, 6}};
global int (*row)[3] = &two[1];
global char *bytes = (global char *)&array[1] + 1;
global item *second = &writable[1];
global int *member = &writable[1].a;
int in_function(int add) { static global int counted = 5; counted += add; return counted; }
int constant_in_function(int i) { static constant int inner[3] = {7, 8, 9}; return inner[i]; }
kernel void test(global int *o)
{
    constant int own[2] = {70, 80};
    int n = 0;
    o[n++] = plain; o[n++] = zero; o[n++] = *to_plain; o[n++] = array[2] + array[4];
    o[n++] = *to_element; o[n++] = middle[1]; o[n++] = *elements[0] + *elements[1]; o[n++] = elements[2] == 0;
    o[n++] = **to_pointer; o[n++] = *to_table; o[n++] = *tables[0] + tables[1][3];
    o[n++] = items[1].a; o[n++] = (int)(items[1].b * 2); o[n++] = items[0].c[2] + items[1].c[1];
    o[n++] = writable[0].a; o[n++] = writable[1].a + writable[1].c[2] + writable[1].c[0];
    o[n++] = first.value * 100 + first.next->value * 10 + first.next->next->value; o[n++] = first.next->next->next == 0;
    o[n++] = d.s; o[n++] = d.in[1].a + d.in[1].c[2]; o[n++] = d.u.i; o[n++] = d.v.x * 100 + d.v.y;
    o[n++] = (int)(vector.w * 10 + vector.x); o[n++] = text[4]; o[n++] = words[1][4]; o[n++] = (int)(wide >> 32);
    o[n++] = triple.z; o[n++] = (int)size; o[n++] = two[1][2]; o[n++] = (*row)[0]; o[n++] = bytes[3];
    o[n++] = second->a; o[n++] = *member; o[n++] = in_function(2); o[n++] = in_function(3); o[n++] = constant_in_function(2);
    o[n++] = own[1]; *to_plain = 99; o[n++] = plain; second->a = 6; o[n++] = writable[1].a;
    *elements[1] = 98; o[n++] = plain; first.next = &last; o[n++] = first.next->value;
}
