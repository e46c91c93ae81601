import { readFileSync } from 'node:fs';

// Adds up Jest's own results. A suite that could not even load counts as one failure; no test at all is one too.
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  const results = JSON.parse(readFileSync(file, 'utf8'));
  totals.passed += results.numPassedTests;
  totals.failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
  totals.skipped += results.numPendingTests + results.numTodoTests;
}
if (totals.passed + totals.failed === 0) totals.failed = 1;
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 ? 0 : 1);
