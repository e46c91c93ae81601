/** What lasts minutes: providers that are silent, workers that die, backlogs. `npm run test:chaos`, not `npm test`. */
module.exports = {
  ...require('./jest.config.js'),
  testRegex: '\\.chaos-spec\\.ts$',
  testTimeout: 600_000,
};
