kernel void spin(global int *data, volatile global int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        flag[0] = 1;
    } else if (get_global_id(0) == 8) {
        while (!flag[0])
            ;
        out[0] = data[0];
    }
}
kernel void ask(global int *data, global int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        flag[0] = 1;
    }
    if (get_global_id(0) == 8) {
        int seen = flag[0];
        if (seen)
            out[0] = data[0];
    }
}
kernel void alone(global int *data, volatile global int *flag, global int *out) {
    if (get_global_id(0) == 0)
        flag[0] = 1;
    else if (get_global_id(0) == 8 && flag[0])
        out[0] = 3;
}
kernel void early(global int *data, volatile global int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        flag[0] = 1;
        data[0] = 42;
    } else if (get_global_id(0) == 8) {
        if (flag[0])
            out[0] = data[0];
    }
}
kernel void plain_store(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        *(volatile global int *)flag = 1;
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        out[0] = data[0];
    }
}
kernel void plain_load(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!*(volatile global int *)flag)
            ;
        out[0] = data[0];
    }
}
kernel void group(global int *data, volatile global int *flag, global int *out) {
    if (get_group_id(0) == 0) {
        data[get_local_id(0)] = 42;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            flag[0] = 1;
    } else {
        if (get_local_id(0) == 0)
            while (!flag[0])
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[get_local_id(0)] = data[get_local_id(0)];
    }
}
kernel void array(global int *data, global int *flag, global int *out) {
    size_t l = get_local_id(0), g = get_group_id(0) * 8, n = g + (l + 1) % 8;
    data[g + l] = 42;
    flag[g + l] = 1;
    if (flag[n])
        out[g + l] = data[n];
}
kernel void counted(global int *data, volatile global int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        flag[0]++;
    } else if (get_global_id(0) == 8) {
        if (flag[0])
            out[0] = data[0];
    }
}
kernel void turns(global int *data, volatile global int *flag, global int *out) {
    for (int k = 0; k < 3; k++) {
        if (get_global_id(0) == 0) {
            data[k] = 42;
            flag[k] = 1;
        } else if (get_global_id(0) == 8) {
            while (!flag[k])
                ;
            out[k] = data[k];
        }
    }
}
