// Imported before a program that another one starts with an IPC channel: the channel closes when that one ends, even by
// SIGKILL, and this process then stops as it does on SIGTERM. Without a channel it does nothing.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
