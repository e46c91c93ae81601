/**
 * The layers of libs/, lowest first (docs/architecture.md). A lib imports only from lines above its own,
 * never from a neighbour on the same line.
 */
const LAYERS = [
  ['kernel'],
  ['config', 'request-scope'],
  ['observability'],
  ['persistence', 'redis', 'storage'],
  ['http'],
  ['provider-slots'],
  ['jobs', 'teams'],
  ['usage'],
  ['providers'],
  ['sessions', 'generations'],
  ['admin'],
];

const layerRules = LAYERS.flatMap((layer, depth) =>
  layer.map((lib) => ({
    name: `layer-of-${lib}`,
    comment: `libs/${lib} may use lower layers alone: move what you need down, or the user of it up.`,
    severity: 'error',
    from: { path: `^libs/${lib}/` },
    to: {
      path: '^(libs|apps)/',
      pathNot: [
        `^libs/${lib}/`,
        ...LAYERS.slice(0, depth)
          .flat()
          .map((lower) => `^libs/${lower}/`),
      ],
    },
  })),
);

/** Tests may stand on anything: they are not part of what a lib is made of. */
const NOT_TESTS = {
  pathNot: ['\\.(spec|int-spec|e2e-spec)\\.ts$', '^libs/[^/]+/src/testing/', '-tests/', '^test/'],
};

module.exports = {
  forbidden: [
    ...layerRules.map((rule) => ({ ...rule, from: { ...rule.from, ...NOT_TESTS } })),
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or need a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'front-door',
      comment: 'A lib is entered by its src/index.ts only: import from @app/<lib>.',
      severity: 'error',
      from: { path: '^(libs/([^/]+)|apps)/', ...NOT_TESTS },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: ['^libs/$2/'] },
    },
    {
      name: 'slots-stand-alone',
      comment: 'provider-slots is usable without the rest of Questline.',
      severity: 'error',
      from: { path: '^libs/provider-slots/', ...NOT_TESTS },
      to: { path: '^libs/', pathNot: ['^libs/(provider-slots|kernel|request-scope|redis|observability)/'] },
    },
    {
      name: 'adapters-behind-the-slots',
      comment: 'Only the slotted dispatch may reach an adapter.',
      severity: 'error',
      from: { pathNot: ['^libs/providers/', ...NOT_TESTS.pathNot] },
      to: { path: '^libs/providers/src/(adapters|wire)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^(dist|node_modules)/' },
  },
};
