import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { toMessage } from './mail-composition.ts';
import type { Mailer } from './mailer.ts';

export interface FileMailerOptions {
  /** Made, for its owner only, when missing. */
  folder: string;
  from: string;
  newId: () => string;
  /** Told where each mail is, and nothing of what it says: its link opens an account. */
  log: { info(details: object, message: string): void };
}

/** Longer than any mail. */
const PROBE_BYTES = 16_384;

/** Writes each mail into an `.eml` file that only its owner can read, for a machine without an SMTP server. */
export function createFileMailer({ folder, from, newId, log }: FileMailerOptions): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true });

  return {
    async send(mail) {
      const { message } = await transport.sendMail(toMessage(mail, from));
      const path = join(folder, `${newId()}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Renamed when complete: whoever watches the folder never reads half a mail.
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
    close: () => transport.close(),
  };
}
