import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../../dist/apps/console',
    emptyOutDir: true,
    // Our policy allows fonts and pictures from our own origin alone, so nothing becomes a data: address.
    assetsInlineLimit: 0,
    // The polyfill would only serve browsers that know no module preload; ours must not carry it.
    // Counted after compression, and checked in the browser tests: 250 kB.
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is for servers that render: there is none here.
      checks: { moduleLevelDirective: false },
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/docs', '/docs-json', '/health', '/metrics'].map((path) => [
        path,
        { target: process.env.QUESTLINE_URL ?? 'http://127.0.0.1:3000', changeOrigin: true },
      ]),
    ),
  },
});
