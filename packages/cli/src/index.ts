export { addBackupCommand, type BackupCommandOptions } from './backup-command.ts';
export { addCommandGroups, type CommandGroup } from './command-groups.ts';
export { addMigrateCommand, type MigrateCommandOptions } from './migrate-command.ts';
export { type CliOutput, createProgram, openOutput, runProgram } from './program.ts';
