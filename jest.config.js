/** Three kinds of test by suffix; `npm test` runs them all, each against real stores that global set-up starts. */
const shared = {
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts' },
  moduleFileExtensions: ['ts', 'js', 'json'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

module.exports = {
  ...shared,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test', '<rootDir>/scripts'],
  testRegex: '\\.(spec|int-spec|e2e-spec)\\.ts$',
  setupFilesAfterEnv: ['<rootDir>/test/support/retry-on-ci.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // The suite waits more than it computes: Jest's own choice would leave a core of a small machine idle.
  maxWorkers: '100%',
  testTimeout: 30_000,
  // A test that failed half-way leaves connections open, and would else keep the whole run from ending.
  forceExit: true,
};
