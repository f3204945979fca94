import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'
import { docsFolder } from './docs/loader.ts'

export const collections = {
  docs: defineCollection({ loader: docsFolder(), schema: docsSchema() }),
}
