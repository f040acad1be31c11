kernel void reduce(global int *data, global int *out) {
    data[get_global_id(0)] = 1;
    int sum = work_group_reduce_add((int)get_local_id(0));
    out[get_global_id(0)] = sum + data[7 - get_local_id(0)];
}
kernel void all(global int *data, global int *out) {
    data[get_global_id(0)] = 1;
    work_group_all(1);
    out[get_global_id(0)] = data[7 - get_local_id(0)];
}
kernel void broadcast(global int *data, global int *out) {
    data[get_global_id(0)] = 1;
    int first = sub_group_broadcast((int)get_local_id(0), 0);
    out[get_global_id(0)] = first + data[get_local_id(0) ^ 1];
}
kernel void after(global int *data, global int *out) {
    data[get_global_id(0)] = 1;
    out[get_global_id(0)] = data[7 - get_local_id(0)];
    out[get_global_id(0)] += work_group_reduce_add((int)get_local_id(0));
}
