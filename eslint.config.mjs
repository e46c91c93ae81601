import tseslint from 'typescript-eslint';

const ENVIRONMENT = {
  object: 'process',
  property: 'env',
  message: 'Only libs/config reads the environment: take the value you need as an argument.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.data/',
      'coverage/',
      'apps/console/src/api/schema.d.ts',
      '**/*.js',
      '**/*.cjs',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // An async method may have nothing to await: its callers count on a promise.
      '@typescript-eslint/require-await': 'off',
      // A rejection of `reason as Error` is what an AbortSignal carries.
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      'no-restricted-properties': ['error', ENVIRONMENT],
      'no-console': 'error',
      'max-lines': ['warn', { max: 200, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: [
      'libs/config/**',
      'test/**',
      'bench/**',
      'scripts/**',
      'apps/standalone/**',
      '**/*.spec.ts',
      '**/*.int-spec.ts',
      '**/*.e2e-spec.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Nest injects by the class that stands here, so an import that looks like a type is needed at run time.
    files: ['libs/**', 'apps/**'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: [
      '**/*.spec.ts',
      '**/*.int-spec.ts',
      '**/*.e2e-spec.ts',
      'test/**',
      '**/testing/**',
      '**/*-tests/**',
    ],
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
  {
    files: ['bench/**', 'scripts/**', 'docs/examples/**', 'test/**'],
    rules: { 'no-console': 'off', 'max-lines': 'off' },
  },
);
