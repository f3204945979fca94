import { appendFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import babel from '@rolldown/plugin-babel'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Loads the files that every page needs at the same time as the first one. Text that is already visible does not change
 * to the font (`font-display`).
 */
const preloads: Plugin = {
  name: 'preloads',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle }) =>
      Object.keys(bundle ?? {}).flatMap((name) => {
        const href = `/${name}`
        const font = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href }
        if (name.endsWith('.woff2')) return { tag: 'link', attrs: font, injectTo: 'head' as const }
        const isShared = /static\/(libraries|shared)-[^/]*\.js$/.test(name)
        return isShared ? { tag: 'link', attrs: { rel: 'modulepreload', crossorigin: '', href } } : []
      }),
  },
}

/** The order of the layers comes first in the file of styles, in which those of shared components precede base.css. */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'post',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = `@layer reset, base, parts;${file.source}`
    }
  },
}

const LICENSES = 'third-party-licenses.md'
const FONT = '@fontsource-variable/inter'

/** Vite lists the licenses of scripts only; that of the font is added. */
const fontLicense: Plugin = {
  name: 'font-license',
  writeBundle({ dir = '' }) {
    const manifest = createRequire(import.meta.url).resolve(`${FONT}/package.json`)
    const { version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
    const text = readFileSync(join(dirname(manifest), 'LICENSE'), 'utf8')
    appendFileSync(join(dir, LICENSES), `\n## ${FONT} - ${version} (${license})\n\n${text}`)
  },
}

/**
 * Modules that the pages before the sign-in use. If modules of other pages were in the same file, so would be the SDK and
 * react-aria-components.
 */
const entranceModules =
  /dashboard\/src\/(api\/(request|account)\.|app\/((entrance|routes|texts)\/|(queries|theme|organization\/scopes)\.)|pages\/library\/library-search\.|ui\/(button|icons|notice|initial)\.)/

/** Modules that the library needs from the start: without dialogs, the command palette and the tree of folders. */
const libraryModules =
  /dashboard\/src\/(?!.*(dialog|palette))(app\/(live|organization|keyboard|toasts|confirmed-actions)|pages\/(library\/(assets|actions|views|tree\/folder-levels)|uploads\/dock)|shell|ui\/(menu|empty-state))/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    lingui({ failOnMissing: true, cwd: import.meta.dirname }),
    babel({ presets: [linguiTransformerBabelPreset({}, { cwd: import.meta.dirname })] }),
    { ...optimizeLocales.vite({ locales: ['en', 'de'] }), enforce: 'pre' },
    preloads,
    layerOrder,
    fontLicense,
  ],
  resolve: {
    alias: [
      // React has this hook itself since version 18.
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' },
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: 'use-sync-external-store/with-selector',
      },
    ],
  },
  css: {
    modules: {
      // Names of files are unique, so that no hash is needed. Readable names compress better as well.
      generateScopedName: (name, file) => `${basename(file).replace('.module.css', '')}-${name}`,
    },
  },
  server: { port: 8070, proxy: { '^/(api|docs|embed|play)/': 'http://127.0.0.1:8080' } },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    assetsDir: 'static',
    // The security policy allows no fonts and scripts in `data:` URLs.
    assetsInlineLimit: 0,
    // The first versions with `light-dark()`.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // All browsers of the target load modules ahead without help.
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    license: { fileName: LICENSES },
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // One file compresses better than many. The libraries that every page needs change rarely.
        codeSplitting: {
          groups: [
            {
              ...{ name: 'libraries', priority: 3 },
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[^/]+|@lingui\/[^/]+)\//,
            },
            { name: 'shared', priority: 2, test: entranceModules },
            { name: 'library', priority: 1, test: libraryModules },
            { name: 'forms', priority: 1, test: /dashboard\/src\/(ui\/forms\/(?!options)|pages\/credentials\/)/ },
          ],
        },
      },
    },
  },
})
