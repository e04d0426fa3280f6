import { MAX_LOGO_BYTES, MAX_LOGO_SIDE, MIN_LOGO_SIDE } from '../../clients/logo/client-logo.ts';
import type { LogoView } from '../../pages/views/applications.ts';
import type { Application } from './applications.ts';
import { pathsOf } from './paths.ts';

export type LogoProblem = NonNullable<LogoView['form']['problems']>[number];

const limits = { kilobytes: MAX_LOGO_BYTES / 1_000, min: MIN_LOGO_SIDE, max: MAX_LOGO_SIDE };

/** Builds the view of an application's logo forms, with the problems of the posted file. */
export function toLogoView(
  { id, logoDigest }: Application,
  csrf: string,
  problems?: readonly LogoProblem[],
): LogoView {
  const paths = pathsOf(id);
  return {
    form: { action: paths.logo, csrf, problems },
    removeAction: logoDigest === null ? undefined : paths.removeLogo,
    limits,
  };
}

/** Converts a fault of an uploaded file to a problem with a message of the page. */
export function toLogoProblem(code: string): LogoProblem {
  switch (code) {
    case 'logo_missing':
    case 'logo_unsupported':
    case 'logo_damaged':
    case 'logo_animated':
      return { field: 'logo', code };
    case 'logo_too_large':
    case 'logo_dimensions':
      return { field: 'logo', code, values: limits };
    default:
      return { field: 'logo', code: 'upload_invalid' };
  }
}
