// Preloaded into a child process with an IPC channel. The channel closes when the parent ends, even by SIGKILL, and
// this process then stops as on SIGTERM. Without a channel it does nothing.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
