/** A mail to one person. */
export interface Mail {
  /** The bare address of one mailbox, as `parseEmail` gives it. */
  to: string;
  /** One line. */
  subject: string;
  text: string;
  html?: string | undefined;
}

/** Takes mails away from the program. */
export interface Mailer {
  /**
   * Resolves when the next station has taken responsibility for the mail.
   *
   * @throws {Error} when it has not, or the recipient or the subject could add a header or a recipient of its own.
   */
  send(mail: Mail): Promise<void>;
  /**
   * Shows that a mail could be sent now, without sending one.
   *
   * @throws {Error} when it could not
   */
  requireReady(): Promise<void>;
  /** Ends what is left open. */
  close(): void;
}
