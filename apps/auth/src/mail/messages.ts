import { escapeHtml } from '@keydesk/server';
import { type ButtonColors, toButtonColors } from '../pages/brand.ts';
import { type Language, languages, locales } from '../pages/language.ts';
import type { Device } from '../values/device.ts';
import type { Mail } from './mailer.ts';
import { type MessageKind, messageTexts } from './message-texts.ts';

/**
 * Values of the placeholders of a mail. Except for addresses, strangers to the recipient cannot choose any of them: a
 * name chosen at sign-up would let attackers send advertising to anyone.
 */
export interface MessageValues {
  /** Name of the service. */
  service: string;
  /** The address of the account. */
  email: string;
  /** Link of the mail; absent in mails without an action. */
  link?: string | undefined;
  /** Lifetime of the link; absent if it does not expire. */
  ttlSeconds?: number | undefined;
  newEmail?: string | undefined;
  /** Number of recovery codes that are left. */
  count?: string | undefined;
  /** Day of an announced change. */
  day?: Date | undefined;
  /** Device of a sign-in, its network address and time. */
  device?: Device | undefined;
  address?: string | undefined;
  at?: Date | undefined;
  /** Name of an identity provider, as configured by the operator. */
  provider?: string | undefined;
  clientId?: string | undefined;
  requestId?: string | undefined;
  role?: string | undefined;
  /** Name of one of the recipient's applications. */
  application?: string | undefined;
  /** Address of the owner or co-owner who invites. */
  from?: string | undefined;
  /** Address of the co-owner that the mail is about. */
  person?: string | undefined;
  /** Reason given by the operator. */
  reason?: string | undefined;
}

/** Returns the supported language of a locale (BCP 47), or English. */
export function languageOf(locale: string | undefined): Language {
  const wanted = locale?.toLowerCase().split(/[-_]/)[0];
  return languages.find((language) => language === wanted) ?? 'en';
}

interface MailRequest {
  to: string;
  language: Language;
  values: MessageValues;
  /** Color of the button, as `#rrggbb`. */
  accentColor?: string | undefined;
}

/** Composes a mail as plain text and as HTML with the same content. */
export function composeMail(kind: MessageKind, { to, language, values, accentColor }: MailRequest): Mail {
  const { greeting, closing, messages } = messageTexts[language];
  const fill = createFill({
    ...values,
    duration: durationOf(values.ttlSeconds ?? 0, language),
    device: values.device && deviceOf(values.device, language),
    day: values.day && dayOf(values.day, language),
    at: values.at && timeOf(values.at, language),
  });
  const message = messages[kind];
  const before = [greeting, ...message.before].map(fill);
  const after = [...message.after, closing].map(fill);
  const button =
    message.action === undefined ? undefined : { action: fill(message.action), link: values.link ?? '' };
  return {
    to,
    subject: fill(message.subject),
    text: `${[...before, ...(button ? [`${button.action}:\n${button.link}`] : []), ...after].join('\n\n')}\n`,
    html: toHtml({ language, before, button, after, colors: toButtonColors(accentColor) }),
  };
}

function createFill(values: object): (template: string) => string {
  const texts = new Map(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return (template) => template.replaceAll(/\{(\w+)\}/g, (_, name: string) => texts.get(name) ?? '');
}

function dayOf(day: Date, language: Language): string {
  return day.toLocaleDateString(locales[language], { dateStyle: 'long', timeZone: 'UTC' });
}

function deviceOf({ browser, system }: Device, language: Language): string {
  const { full, browserOnly, systemOnly, unknown } = messageTexts[language].device;
  if (browser === undefined) return system === undefined ? unknown : createFill({ system })(systemOnly);
  return createFill({ browser, system })(system === undefined ? browserOnly : full);
}

/** Formats a time to the minute, in UTC. */
function timeOf(at: Date, language: Language): string {
  const style = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(locales[language], style).format(at)} UTC`;
}

function durationOf(seconds: number, language: Language): string {
  const { days, hours, minutes } = messageTexts[language].duration;
  const count = Math.max(1, Math.round(seconds / 60));
  if (count % 1_440 === 0 && count > 1_440) return days.replace('{count}', String(count / 1_440));
  const [inUnit, [one, other]] = count % 60 === 0 ? [count / 60, hours] : [count, minutes];
  return inUnit === 1 ? one : other.replace('{count}', String(inUnit));
}

interface Page {
  language: Language;
  before: readonly string[];
  button: { action: string; link: string } | undefined;
  after: readonly string[];
  colors: ButtonColors;
}

const buttonShape = 'display:inline-block;padding:12px 20px;border-radius:6px;text-decoration:none';

function toHtml({ language, before, button, after, colors }: Page): string {
  const buttonStyle = `${buttonShape};background:${colors.background};color:${colors.text}`;
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escapeHtml(text)}</p>`);
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head>`,
    '<body style="max-width:34em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif">',
    ...paragraphs(before),
    ...(button
      ? [
          `<p><a href="${escapeHtml(button.link)}" style="${buttonStyle}">${escapeHtml(button.action)}</a></p>`,
        ]
      : []),
    ...paragraphs(after),
    '</body></html>\n',
  ].join('\n');
}
