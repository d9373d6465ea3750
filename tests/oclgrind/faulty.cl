// Everything that Oclgrind must report, so that its silence elsewhere means something.
kernel void faulty(global int *x) {
    int unwritten[2];
    x[get_global_id(0) + 1] = 1; // the last one is past the end
    x[0] = get_global_id(0);     // all at once
    x[1] = unwritten[x[2] & 1];
}
