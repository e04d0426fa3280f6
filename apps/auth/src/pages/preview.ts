import { parseArgs } from 'node:util';
import { startPreview } from './preview-server.fixture.ts';
import { sampleBrand } from './samples.fixture.ts';

/*
 * Shows the pages with sample data, to look at while working on them (see README.md):
 *   node apps/auth/src/pages/preview.ts [--port 4000] [--color '#0b7a4b']
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '4000' }, color: { type: 'string' } },
});

const { url } = await startPreview({ ...sampleBrand, accentColor: values.color }, Number(values.port));
process.stdout.write(`${url}\n`);
