// SPDX-License-Identifier: Apache-2.0
/* A work-item decides its nodes when all neighbours of a higher rank are decided, which other work-items do: it spins on plain loads of
 * stat. The loops around read what is never written, too. Which node's state is seen to change first depends on how far the others get
 * meanwhile: all are read in one line. */
uchar state_of(global volatile uchar *stat, int v) { return stat[v]; }

kernel void turns(const int n, global const int *off, global const int *nb, global volatile uchar *stat)
{
  const int from = (int)get_local_id(0) + (int)get_group_id(0) * 64, step = (int)get_num_groups(0) * 64;
  int missing;
  do {
    missing = 0;
    for (int v = from; v < n; v += step) {
      const uchar mine = state_of(stat, v);
      if (mine & 1) {
        int i = off[v];
        while (i < off[v + 1]) {
          const int to = nb[i];
          const uchar its = state_of(stat, to);
          if (!((mine > its) || ((mine == its) && (v > to)))) break;
          i++;
        }
        if (i < off[v + 1]) {
          missing = 1;
        } else {
          for (int i = off[v]; i < off[v + 1]; i++) stat[nb[i]] = 0;
          stat[v] = 254;
        }
      }
    }
  } while (missing != 0);
}
