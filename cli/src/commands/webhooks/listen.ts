import { once } from 'node:events'
import { Command } from 'commander'
import { InvalidRequestError, type NewWebhook, NotFoundError, SignatureError, verifyWebhook } from 'reelkeep'
import { readStdin } from '../../arguments/input.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { EventType } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { messageOf } from '../../terminal/failure.ts'
import type { Style } from '../../terminal/style.ts'
import { printable } from '../../terminal/width.ts'
import { typesOption } from '../events/event-types.ts'
import { renderEvent } from '../events/render-event.ts'
import { type Received, startReceiver } from './receiver.ts'

type Options = {
  readonly port: number
  readonly url?: string
  readonly withSecret?: true
  readonly types?: EventType[]
}

export const listenCommand = (cli: Cli): Command =>
  new Command('listen')
    .description('Receive events on this machine, verify and print them')
    .option('--port <port>', 'Port on 127.0.0.1 (default: a free one)', wholeNumber, 0)
    .option('--url <url>', 'URL of a tunnel that leads to the port')
    .option(
      '--with-secret',
      'Verify with the secret of an existing webhook, from REELKEEP_WEBHOOK_SECRET or stdin, instead of creating one',
    )
    .addOption(typesOption())
    .action((options: Options) => listen(cli, options))

/** Receives events with a webhook that exists only while the command runs. */
async function listen(cli: Cli, options: Options): Promise<void> {
  const given = options.withSecret ? await readSecret(cli) : undefined
  let useSecret: (secret: string) => void = () => {}
  const secret = new Promise<string>((resolve) => {
    useSecret = resolve
  })
  const receiver = await startReceiver(
    options.port,
    () => secret,
    (received) => cli.output().item(received, (style) => renderReceived(received, style)),
  )
  let webhook: NewWebhook | undefined
  try {
    const address = options.url ?? `http://127.0.0.1:${receiver.port}/`
    webhook = given === undefined ? await createWebhook(cli, address, options) : undefined
    useSecret(webhook?.secret ?? given ?? '')
    cli.output().note(({ paint }) => {
      const from = webhook ? `, webhook ${webhook.id}, URL ${webhook.url}` : ''
      return paint('gray', `Listening on 127.0.0.1:${receiver.port}${from}. Press Ctrl-C to stop.`)
    })
    if (!cli.interrupted.aborted) await once(cli.interrupted, 'abort')
  } finally {
    await receiver.close()
    if (webhook) await deleteWebhook(cli, webhook.id)
  }
}

/** Deletes the webhook. Reports errors itself, because errors after Ctrl-C are not printed. */
async function deleteWebhook({ environment, output }: Cli, id: string): Promise<void> {
  try {
    // This client has no abort signal, because the signal is already aborted.
    const { webhooks } = await connect({ environment })
    await webhooks.delete(id)
  } catch (error) {
    if (error instanceof NotFoundError) return
    output().warning(
      `Cannot delete webhook ${id}: ${printable(messageOf(error))} Delete it with: reelkeep webhooks delete ${id}`,
    )
  }
}

/** Reads the secret. There is no option for it, because other users of the machine can see command lines. */
async function readSecret(cli: Cli): Promise<string> {
  const secret = cli.environment['REELKEEP_WEBHOOK_SECRET'] || (await readStdin(cli)).trim()
  if (!secret) throw new CommandError('No secret in REELKEEP_WEBHOOK_SECRET or on stdin.', exitCodes.usage)
  await assertValidSecret(secret)
  return secret
}

/** `verifyWebhook` checks the secret before the signature, so an empty request shows whether the secret is valid. */
async function assertValidSecret(secret: string): Promise<void> {
  await verifyWebhook('', {}, secret).catch((error: Error) => {
    if (!(error instanceof SignatureError)) throw new CommandError(error.message, exitCodes.usage)
  })
}

async function createWebhook(cli: Cli, url: string, { types }: Options): Promise<NewWebhook> {
  // This client has no abort signal: once the webhook is created, its id is needed to delete it.
  const { webhooks } = await connect({ environment: cli.environment })
  try {
    return await webhooks.create({
      url,
      description: 'reelkeep webhooks listen',
      ...(types && { types }),
    })
  } catch (error) {
    if (error instanceof InvalidRequestError && error.code === 'invalid_webhook_url')
      throw new CommandError(
        `The service cannot deliver to ${url}: ${error.message}`,
        exitCodes.usage,
        "Use a tunnel (--port PORT --url https://…). If the service runs on this machine, its operator can allow it: admin set-webhook-networks ORGANIZATION --network '127.0.0.0/8:*'",
      )
    throw error
  }
}

function renderReceived(received: Received, style: Style): string {
  const { paint, columns } = style
  // Leaves room for ✓ and a space.
  const narrower = { ...style, columns: columns && columns - 2 }
  return received.verified
    ? `${paint('green', '✓')} ${renderEvent(received.event, narrower)}`
    : `${paint('red', '✗')} ${received.status}  ${printable(received.why)}`
}
