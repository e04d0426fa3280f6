export { addBackupCommand, type BackupCommandOptions } from './backup-command.ts';
export { addMigrateCommand, type MigrateCommandOptions } from './migrate-command.ts';
export { type CliOutput, createProgram, openOutput, runProgram } from './program.ts';
