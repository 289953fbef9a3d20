import tseslint from 'typescript-eslint'

/** Rules and machines: time, randomness and I/O are inputs there, never taken. */
const PURE = [
  'src/voice/calls/actor/call-machine.ts',
  'src/voice/model/outcome.ts',
  'src/voice/conferences/conference-callbacks.ts',
  'src/voice/conferences/room-machine.ts',
  'src/voice/queues/queue-line.ts',
  'src/voice/queues/queue-params.ts',
  'src/voice/amd/**',
  'src/voice/markup/parse/**',
  'src/voice/recordings/recording-machine.ts',
  'src/voice/recordings/silence-meter.ts',
  'src/lab/sip/message/**',
  'src/platform/sip-grammar/**',
  'src/lab/sip/transactions/machines/**',
  'src/lab/media/codecs/**',
  'src/lab/media/dsp/**',
  'src/registry/rules/**',
]

/** A test cannot set these; what needs the time has a `Clock` among its dependencies. */
const CLOCKS = [
  { object: 'Date', property: 'now', message: 'ask a Clock (platform/clock.ts)' },
  { object: 'performance', property: 'now', message: 'ask a Clock (platform/clock.ts)' },
  {
    object: 'AbortSignal',
    property: 'any',
    message: 'use linkAbort (platform/async/abort.ts): this one loses signals on Node 20',
  },
]

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      '*.js',
      '*.config.ts',
      '**/*.mjs',
      'src/cli/prepare.js',
      'src/cli/bundle.js',
      'bench-results/**',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      complexity: ['error', 12],
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-new': 'error',
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  {
    files: ['test/**'],
    ignores: ['test/bench/**', 'test/*/run.ts'],
    rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' },
  },
  { files: ['src/cli/**'], rules: { 'no-console': 'off' } },
  {
    files: ['src/**'],
    // The clocks themselves, and the one place that links signals.
    ignores: ['src/lab/**', 'src/cli/**', 'src/platform/clock.ts', 'src/platform/async/abort.ts'],
    rules: { 'no-restricted-properties': ['error', ...CLOCKS] },
  },
  {
    files: ['src/registry/{services,routes,events}/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[property.name=/^(selectFrom|insertInto|updateTable|deleteFrom)$/]',
          message: 'statements belong in registry/storage',
        },
      ],
    },
  },
  {
    files: PURE,
    rules: {
      'no-restricted-globals': [
        'error',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'fetch',
        'process',
      ],
      'no-restricted-properties': ['error', ...CLOCKS, { object: 'Math', property: 'random' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'time is an input',
        },
        {
          selector:
            'ImportDeclaration[source.value=/^node:(fs|net|dgram|http|child_process|timers)/]',
          message: 'no I/O in pure code',
        },
      ],
    },
  },
)
