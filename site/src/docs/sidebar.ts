import { resources } from '../api/openapi.ts'

const slugs = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}`)

/** The navigation. A page that is not listed here is only found by links and by the search. */
export const sidebar = [
  { label: 'Start', items: [{ label: 'Overview', link: '/' }, 'quickstart', 'guides/curl'] },
  { label: 'Tutorials', items: slugs('tutorials', ['upload-from-your-web-app', 'protect-a-course', 'move-from-mux']) },
  {
    label: 'Guides',
    items: slugs('guides', [
      ...['api', 'uploading', 'processing', 'player', 'playback-tokens', 'protection'],
      ...[
        'chapters',
        'subtitles',
        'search',
        'events',
        'webhooks',
        'dashboard',
        'people',
        'audit',
        'sdk',
        'cli',
        'ai-agents',
      ],
    ]),
  },
  {
    label: 'Operations',
    collapsed: true,
    items: [
      { label: 'Overview', slug: 'operations' },
      ...slugs('operations', ['storage', 'capacity', 'deploying', 'running', 'doctor', 'slos', 'runbook']),
      ...slugs('operations', ['backup', 'upgrading', 'rotation', 'cells']),
    ],
  },
  { label: 'Security', collapsed: true, items: slugs('security', ['threat-model', 'cryptography', 'requirements']) },
  {
    label: 'Reference',
    items: [
      {
        label: 'API',
        items: [
          { label: 'All operations', link: '/reference/api/' },
          ...resources.map(({ name, slug }) => ({ label: name, link: `/reference/api/${slug}/` })),
        ],
      },
      { label: 'TypeScript SDK', slug: 'reference/sdk' },
      { label: 'Command line', slug: 'reference/cli' },
      { label: 'Error codes', slug: 'reference/errors' },
      { label: 'Events', slug: 'reference/events' },
      { label: 'Settings', link: '/operations/running/' },
      { label: 'Identity provider', link: '/operations/identity-provider/' },
    ],
  },
]
