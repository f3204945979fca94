import { expect, it } from 'vitest'
import { errorPage } from './plain-pages.ts'

it('errorPage escapes the meaning of an error, in code and outside of it', () => {
  const page = errorPage('unauthenticated')
  expect(page).toContain('The <code>Authorization: token &lt;API_TOKEN></code> header is missing')
  expect(page).not.toContain('<API_TOKEN')
})
