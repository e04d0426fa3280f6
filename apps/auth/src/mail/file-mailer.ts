import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadNodemailer, toMessage } from './mail-composition.ts';
import type { Mailer } from './mailer.ts';

export interface FileMailerOptions {
  /** Created if missing, readable only by its owner. */
  folder: string;
  from: string;
  newId: () => string;
  /** Logs the path of each mail, but not its content, because its link gives access to an account. */
  log: { info(details: object, message: string): void };
}

/** Larger than any mail. */
const PROBE_BYTES = 16_384;

/** Creates a mailer that writes `.eml` files, which only their owner can read. Used if no SMTP server is configured. */
export function createFileMailer({ folder, from, newId, log }: FileMailerOptions): Mailer {
  return {
    async send(mail) {
      const transport = loadNodemailer().createTransport({ streamTransport: true, buffer: true });
      const { message } = await transport.sendMail(toMessage(mail, from));
      const path = join(folder, `${newId()}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Renamed when complete, so that programs that watch the folder never read a partial mail.
      await writeFile(`${path}.part`, message, { mode: 0o600, flag: 'wx' });
      await rename(`${path}.part`, path);
      log.info({ path }, 'a mail was written to a file, because SMTP_URL is not set');
    },
    async requireReady() {
      const probe = join(folder, `${newId()}.part`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await writeFile(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flag: 'wx' });
      } finally {
        await rm(probe, { force: true });
      }
    },
    close: () => undefined,
  };
}
