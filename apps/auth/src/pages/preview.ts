import { readCommandLine, readCount } from '@keydesk/testing';
import { startPreview } from './preview-server.fixture.ts';
import { sampleBrand } from './samples.fixture.ts';

const usage = `Usage: node apps/auth/src/pages/preview.ts [--port 4000] [--color '#0b7a4b']

Shows the pages with sample data, to look at while working on them.`;
const { values } = readCommandLine(usage, {
  options: { port: { type: 'string', default: '4000' }, color: { type: 'string' } },
});

const { url } = await startPreview(
  { ...sampleBrand, accentColor: values.color },
  readCount('--port', values.port),
);
process.stdout.write(`${url}\n`);
