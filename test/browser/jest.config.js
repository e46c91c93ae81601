/** `npm run test:browser`: the console in Debian's chromium, against the whole product. */
module.exports = {
  rootDir: '../..',
  roots: ['<rootDir>/test/browser'],
  testRegex: '\\.browser-spec\\.ts$',
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts' },
  moduleFileExtensions: ['ts', 'js', 'json'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 90_000,
  // A browser and the product share two cores with nobody else.
  maxWorkers: 1,
  // As in the main configuration.
  forceExit: true,
};
