/** The webhooks of the settings in Chromium, with a real API and worker, and a receiver that the test controls. */
import { WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openReceiver, respondWithStatus, verify } from '../../service/webhooks/receiver.ts'
import { joinWithPassword, openDashboardFixture, PASSWORD } from './dashboard-fixture.ts'

const settings = { WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*' }
const fixture = await opened(openDashboardFixture('dashboard_webhooks', () => settings))
const { caller, env, origin, organizationId } = fixture
await opened(WorkerProcess.start({ env, settings: { ...fixture.settings, WORKER_QUEUES: 'light' } }))
const receiver = await opened(openReceiver())

async function openWebhooks() {
  const opened = await fixture.newPage({ viewport: { width: 1280, height: 900 } })
  const { page } = opened
  await joinWithPassword(page, await fixture.invite('ada@example.org', { role: 'owner' }), 'Ada', PASSWORD)
  await page.goto(`${origin}/o/${organizationId}/settings/webhooks`)
  await page.getByText('There are no webhooks yet').waitFor()
  return opened
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function choose(page: Page, item: string): Promise<void> {
  await press(page, 'More actions')
  await page.getByRole('menuitem', { name: item }).click()
}

/** The secret of the open dialog, which is shown once. */
async function takeSecret(page: Page): Promise<string> {
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  await press(page, 'Done')
  return secret
}

const deliveries = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')

/** Refreshes the list until it has these states, newest first. */
async function expectDeliveries(page: Page, states: readonly RegExp[]): Promise<void> {
  await expect
    .poll(async () => {
      await press(page, 'Refresh')
      const texts = await deliveries(page).allInnerTexts()
      return texts.length === states.length && states.every((state, index) => state.test(texts[index] ?? ''))
    })
    .toBe(true)
}

const sendTest = async (page: Page, count: number) => {
  await press(page, 'Send a test event')
  await expect.poll(() => receiver.arrivals.length).toBe(count)
}

it('a webhook is created, tested, refused, turned on again, replayed, gets another secret, is turned off and deleted', async () => {
  const { page, problems } = await openWebhooks()
  await press(page, 'Create a webhook')
  const form = page.getByRole('dialog')
  await form.getByLabel('Endpoint URL').fill(receiver.url)
  await form.getByLabel('Description').fill('Catalog')
  await press(page, 'Create webhook')
  const secret = await takeSecret(page)
  await page.getByRole('link', { name: receiver.url }).click()

  await sendTest(page, 1)
  await expectDeliveries(page, [/Delivered.*1 attempt/s])
  const [first] = receiver.arrivals
  expect(() => first && verify(secret, first)).not.toThrow()

  // The status by which a server refuses all further events.
  receiver.setResponder(respondWithStatus(410))
  await sendTest(page, 2)
  await expectDeliveries(page, [/Failed.*1 attempt/s, /Delivered/])
  await page.getByLabel('Status').selectOption('failed')
  await expect.poll(() => deliveries(page).count()).toBe(1)
  await page.reload()
  await page.getByText('Off: the server refused it').waitFor()
  expect(await page.getByRole('button', { name: 'Send a test event' }).count()).toBe(0)

  receiver.setResponder(respondWithStatus(204))
  await press(page, 'Turn on')
  await page
    .getByRole('main')
    .getByText(/^(Active|Failing)$/)
    .waitFor()
  const log = page.getByRole('dialog')
  await deliveries(page).first().getByRole('button').click()
  await log.getByText('410', { exact: true }).waitFor()
  await press(page, 'Send again')
  await page.getByText('The event is sent again.').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => receiver.arrivals.length).toBe(3)
  expect(receiver.arrivals[2]?.event.id).toBe(receiver.arrivals[1]?.event.id)
  await expectDeliveries(page, [/Delivered.*2 attempts/s, /Delivered.*1 attempt/s])

  await choose(page, 'Replace the secret')
  await log.getByLabel('Old secret valid for').selectOption('0')
  await log.getByRole('button', { name: 'Replace', exact: true }).click()
  const replaced = await takeSecret(page)
  expect(replaced).not.toBe(secret)
  expect(await page.content()).not.toContain(replaced)
  await sendTest(page, 4)
  const last = receiver.arrivals[3]
  expect(() => last && verify(replaced, last)).not.toThrow()
  expect(() => last && verify(secret, last)).toThrow()

  await press(page, 'Turn off')
  await page.getByRole('main').getByText('Off', { exact: true }).waitFor()
  await choose(page, 'Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('There are no webhooks yet').waitFor()
  expect((await caller.get<{ results: object[] }>('webhooks/')).body.results).toEqual([])
  expect(problems).toEqual([])
})
