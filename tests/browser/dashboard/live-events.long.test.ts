/** Live events in several tabs of a browser. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openDashboardFixture } from './dashboard-fixture.ts'
import { memberCookies, PASSWORD } from './page-states.ts'

const fixture = await opened(openDashboardFixture('dashboard_live'))
const storageState = await memberCookies(fixture)

/** Counts the event streams that a page opens. */
function countStreams(page: Page): { readonly count: number } {
  const streams = { count: 0 }
  page.on('request', (request) => {
    if (request.url().includes('/events/stream/')) streams.count++
  })
  return streams
}

/** Tabs that would stream if another one did not. */
const WAITING_FOR_STREAM = `navigator.locks.query().then(({ pending }) =>
  pending.filter(({ name }) => name.startsWith('reelkeep.events.')).length)`

const openLibrary = (page: Page) => page.goto(`${fixture.origin}/o/${fixture.organizationId}/library`)

describe('live events', () => {
  it('come over one connection for all tabs, and another tab takes over when its tab closes', async () => {
    const { page: first } = await fixture.newPage({ storageState })
    const ofFirst = countStreams(first)
    await openLibrary(first)
    await expect.poll(() => ofFirst.count).toBe(1)
    const second = await first.context().newPage()
    const ofSecond = countStreams(second)
    await openLibrary(second)
    await second.getByRole('navigation', { name: 'Main' }).waitFor()
    await expect.poll(() => second.evaluate<number>(WAITING_FOR_STREAM)).toBe(1)
    expect(ofSecond.count).toBe(0)
    await first.close()
    await expect.poll(() => ofSecond.count).toBe(1)
  })

  it('that happen while another tab takes over are not missed', async () => {
    const { body } = await fixture.caller.post<{ asset: { id: string } }>('assets/upload-sessions/', {
      title: 'First title',
      resolutions: ['240p'],
    })
    const rename = (title: string) => fixture.caller.patch(`assets/${body.asset.id}/`, { title })
    const { page: first } = await fixture.newPage({ storageState })
    const ofFirst = countStreams(first)
    await openLibrary(first)
    await expect.poll(() => ofFirst.count).toBe(1)
    const second = await first.context().newPage()
    await openLibrary(second)
    await second.getByText('First title').first().waitFor()
    await expect.poll(() => second.evaluate<number>(WAITING_FOR_STREAM)).toBe(1)
    await rename('Second title')
    await second.getByText('Second title').first().waitFor()
    await second.route('**/events/stream/**', async (route) => {
      await rename('Third title')
      await route.continue()
    })
    await first.close()
    await second.getByText('Third title').first().waitFor()
    await second.context().close()
  })

  it('stop when the person signs out in another tab', async () => {
    const { page } = await fixture.newPage({ storageState: await signedInAgain() })
    await openLibrary(page)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.evaluate(`fetch('/api/account/sign-out/', { method: 'POST', body: '{}',
      headers: { 'Content-Type': 'application/json' } })`)
    await page.getByRole('heading', { name: 'Sign in to Reelkeep' }).waitFor()
    expect(new URL(page.url()).searchParams.get('return_to')).toBe(`/o/${fixture.organizationId}/library`)
  })
})

/** Cookies of a session of its own, which the test ends. */
async function signedInAgain() {
  const { page } = await fixture.newPage()
  await page.goto(`${fixture.origin}/sign-in`)
  await page.getByLabel('Email').fill('amara@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in with password', exact: true }).click()
  await page.waitForURL(/\/library/)
  const { cookies } = await page.context().storageState()
  await page.context().close()
  return { cookies, origins: [] }
}
