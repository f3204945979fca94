import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { copyDocFiles } from './src/build/doc-files.ts'
import { externalScripts } from './src/build/external-scripts.ts'
import { writeLicenses } from './src/build/licenses.ts'
import { sidebar } from './src/docs/sidebar.ts'

export default defineConfig({
  // The API serves the site below this path. The links in error responses point there too.
  base: '/docs',
  trailingSlash: 'always',
  // Screenshots are published as they are: converting them takes longer than the rest of the build.
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Reelkeep',
      description: 'Documentation of Reelkeep, a video asset service that you host yourself.',
      logo: { src: './src/styles/mark.svg' },
      favicon: '/favicon.svg',
      customCss: ['./src/styles/site.css'],
      sidebar: [...sidebar],
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      // The pages of docs/ get the same Markdown features as pages below src/content.
      markdown: { processedDirs: ['../docs'] },
      expressiveCode: {
        // A box that scrolls sideways is hard to read on a phone and to reach with the keyboard.
        defaultProps: { wrap: true, preserveIndent: false },
        styleOverrides: { borderRadius: '0.5rem' },
        // Prometheus queries have no highlighting.
        shiki: { engine: 'javascript', langAlias: { promql: 'txt' } },
      },
      credits: false,
    }),
    copyDocFiles(),
    externalScripts(),
    writeLicenses(),
  ],
})
