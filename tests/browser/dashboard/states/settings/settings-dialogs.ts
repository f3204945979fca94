/** The states of the dialogs and menus of the settings. */
import type { Page } from 'playwright-core'
import { choose, press, type State, type States } from '../state.ts'
import { openWebhook, section } from './settings.ts'

const dialog = (page: Page, role: 'dialog' | 'alertdialog' = 'dialog') => page.getByRole(role).waitFor()

/** A dialog with a form that a button opens. */
const form = (path: string, button: string, label: string): State =>
  section(path, async (page) => {
    await press(page, button)
    await page.getByRole('dialog').getByLabel(label).first().waitFor()
  })

/** A dialog that an item of a menu opens. */
const action = (path: string, menu: string | RegExp, item: string, role?: 'dialog' | 'alertdialog'): State =>
  section(path, async (page) => {
    await choose(page, menu, item)
    await dialog(page, role)
  })

/** A dialog of the only webhook. */
const webhookAction = (item: string, role?: 'dialog' | 'alertdialog'): State =>
  section('webhooks', async (page) => {
    await openWebhook(page)
    await choose(page, 'More actions', item)
    await dialog(page, role)
  })

/** The secret that is shown once. The response is replaced, so that no screenshot adds to the list. */
const secret = (path: string, button: string, response: object, submit: string): State =>
  section(path, async (page) => {
    await page.route(`**/${path}/`, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 201, json: response }) : route.fallback(),
    )
    await press(page, button)
    await page.getByRole('dialog').getByLabel('Name').fill('Catalog')
    if (path === 'tokens') await page.getByRole('checkbox', { name: 'See folders' }).check()
    await press(page, submit)
    await page.getByRole('button', { name: 'Done' }).waitFor()
  })

const token = { id: 'none', name: 'Catalog', token: `rlk_${'abcdefgh12345678'.repeat(3)}` }
const keyId = '0d1f8f0a-3c52-4b0e-9a55-2f5d3f1f7a10'
const pem = `-----BEGIN PRIVATE KEY-----\n${'MC4CAQAwBQYDK2VwBCIEIJ'.repeat(3)}\n-----END PRIVATE KEY-----\n`

const members: States = {
  'settings-invite': form('members', 'Invite a member', 'Email address'),
  'settings-invite-folders': section('members', async (page) => {
    await press(page, 'Invite a member')
    await page.getByRole('combobox', { name: 'Limit to a folder (optional)' }).focus()
    await page.getByRole('option', { name: 'Open air 2026' }).waitFor()
  }),
  'settings-member-menu': section('members', async (page) => {
    await page.getByRole('button', { name: 'Actions for Noor Haddad' }).click()
    await page.getByRole('menuitem').first().waitFor()
  }),
  'settings-change-member': action('members', 'Actions for Noor Haddad', 'Change role or folder'),
  'settings-recovery': action('members', 'Actions for Noor Haddad', 'Create a recovery link'),
  'settings-remove-member': action('members', 'Actions for Noor Haddad', 'Remove'),
  'settings-leave': action('members', 'Actions for Amara Diallo', 'Leave the organization'),
  'settings-revoke-invitation': section('members', async (page) => {
    await press(page, 'Revoke the invitation of lin@example.org')
    await dialog(page, 'alertdialog')
  }),
}

export const settingsDialogStates: States = {
  ...members,
  'settings-new-token': form('tokens', 'Create a token', 'Name'),
  'settings-token-created': secret('tokens', 'Create a token', token, 'Create token'),
  'settings-replace-token': action('tokens', 'Actions for Website', 'Replace'),
  'settings-revoke-token': action('tokens', 'Actions for Website', 'Revoke'),
  'settings-new-role': form('roles', 'Create a role', 'Name'),
  'settings-change-role': action('roles', 'Actions for Subtitler', 'Edit'),
  'settings-delete-role': action('roles', 'Actions for Subtitler', 'Delete', 'alertdialog'),
  'settings-audit-entry': section('audit', async (page) => {
    const details = page.getByRole('button', { name: /^Details of entry/ })
    await details.first().click()
    await dialog(page)
  }),
  'settings-new-key': form('signing-keys', 'Create a key', 'Name'),
  'settings-key-created': secret(
    'signing-keys',
    'Create a key',
    { id: keyId, name: 'Catalog', private_key: pem },
    'Create key',
  ),
  'settings-delete-key': section('signing-keys', async (page) => {
    await press(page, 'Delete Website')
    await dialog(page, 'alertdialog')
  }),
  'settings-new-webhook': form('webhooks', 'Create a webhook', 'Endpoint URL'),
  'settings-webhook-menu': section('webhooks', async (page) => {
    await openWebhook(page)
    await press(page, 'More actions')
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  }),
  'settings-change-webhook': webhookAction('Edit'),
  'settings-replace-secret': webhookAction('Replace the secret'),
  'settings-delete-webhook': webhookAction('Delete', 'alertdialog'),
  'settings-delivery': section('webhooks', async (page) => {
    await openWebhook(page)
    await page
      .getByRole('button', { name: /^Details of event/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Request' }).waitFor()
  }),
}
