// Adds up what ran: node infra/ci-summary.mjs TESTS.json SMOKE.json step=EXITCODE …
import { existsSync, readFileSync } from 'node:fs';

const [testsFile, smokeFile, ...steps] = process.argv.slice(2);
const missing = { passed: 0, failed: 1, skipped: 0 };

function tests(file) {
  if (!existsSync(file)) return missing;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failedSuites = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + failedSuites.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const smoke = existsSync(smokeFile) ? JSON.parse(readFileSync(smokeFile, 'utf8')) : missing;
const others = steps.map((step) => {
  const [name, exitCode] = step.split('=');
  if (exitCode !== '0') console.log(`FAILED: ${name}`);
  return { passed: exitCode === '0' ? 1 : 0, failed: exitCode === '0' ? 0 : 1, skipped: 0 };
});

const total = [tests(testsFile), smoke, ...others].reduce((sum, part) => ({
  passed: sum.passed + part.passed,
  failed: sum.failed + part.failed,
  skipped: sum.skipped + part.skipped,
}));
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
