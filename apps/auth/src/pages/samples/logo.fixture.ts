import { png } from '../../clients/logo/image.fixture.ts';
import { createAsset } from '../asset.ts';

/** Logo of an application, which the preview serves. */
export const sampleLogo = createAsset(png({ width: 144, color: [196, 52, 108] }), 'png');

export const logo = {
  form: { action: '/account/applications/1/logo', csrf: 'b1f9c0d2' },
  limits: { kilobytes: 200, min: 16, max: 2048 },
};
export const logoProblems = [
  { field: 'logo', code: 'logo_dimensions', values: { kilobytes: 200, min: 16, max: 2048 } },
] as const;
