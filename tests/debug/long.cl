void near(global int *sum)
{
    sum[1] = 1;
}
void far(global int *sum)
{
    sum[2] = 1;
}
kernel void long_run(global int *sum)
{
    for (int i = 0; i < 100000; i++) {
        if (i == 75000)
            near(sum);
        sum[0] += i;
    }
    far(sum);
}
