// Sums up the results of CI: node tools/ci-summary.mjs TESTS.json SMOKE.json tests=EXITCODE step=EXITCODE …
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [testsFile, smokeFile, ...steps] = process.argv.slice(2);
const { tests: testsExitCode, ...exitCodes } = Object.fromEntries(steps.map((step) => step.split('=')));

function missing(what) {
  console.log(`FAILED: no report of ${what}`);
  return { passed: 0, failed: 1, skipped: 0 };
}

function tests() {
  if (!existsSync(testsFile)) return missing('the tests');
  const report = JSON.parse(readFileSync(testsFile, 'utf8'));
  const failedSuites = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + failedSuites.length;
  for (const { name } of failedSuites) console.log(`FAILED: ${relative('.', name)}`);
  for (const { name, assertionResults } of report.testResults)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed')
        console.log(`FAILED: ${relative('.', name)}: ${fullName}\n  ${failureMessages[0]?.split('\n')[0]}`);
  // Vitest's report omits errors outside of tests, such as unhandled rejections.
  const isFailedAsWhole = failed === 0 && testsExitCode !== '0';
  if (isFailedAsWhole)
    console.log(
      `FAILED: the tests exited with ${testsExitCode} although no test failed; see "Unhandled Errors" above`,
    );
  return {
    passed: report.numPassedTests,
    failed: isFailedAsWhole ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function step([name, exitCode]) {
  if (exitCode === '0') return { passed: 1, failed: 0, skipped: 0 };
  console.log(`FAILED: ${name}`);
  return { passed: 0, failed: 1, skipped: 0 };
}

const smoke = existsSync(smokeFile) ? JSON.parse(readFileSync(smokeFile, 'utf8')) : missing('the smoke test');
const total = [tests(), smoke, ...Object.entries(exitCodes).map(step)].reduce((sum, part) => ({
  passed: sum.passed + part.passed,
  failed: sum.failed + part.failed,
  skipped: sum.skipped + part.skipped,
}));
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
