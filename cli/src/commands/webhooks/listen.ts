import { once } from 'node:events'
import { Command } from 'commander'
import {
  InvalidRequestError,
  type NewWebhook,
  NotFoundError,
  SignatureError,
  verifyWebhook,
} from 'reelkeep'
import { readStdin } from '../../arguments/input.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import type { EventType } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { sentenceOf } from '../../terminal/failure.ts'
import type { Look } from '../../terminal/look.ts'
import { printable } from '../../terminal/width.ts'
import { drawEvent } from '../events/event-drawing.ts'
import { typesOption } from '../events/event-types.ts'
import { type Received, startReceiver } from './receiver.ts'

type Options = {
  readonly port: number
  readonly url?: string
  readonly withSecret?: true
  readonly types?: EventType[]
}

export const listenCommand = (cli: Cli): Command =>
  new Command('listen')
    .description('receive events on this machine, verify and print them, until Ctrl-C')
    .option('--port <port>', 'where to listen on 127.0.0.1; a free one unless told', wholeNumber, 0)
    .option('--url <url>', 'address of a tunnel that leads to the port')
    .option(
      '--with-secret',
      'make no webhook, and verify with the secret of one that is there, from REELKEEP_WEBHOOK_SECRET or else stdin',
    )
    .addOption(typesOption())
    .action((options: Options) => listen(cli, options))

/** The webhook lives as long as the command does. */
async function listen(cli: Cli, options: Options): Promise<void> {
  const given = options.withSecret ? await givenSecret(cli) : undefined
  const secret = Promise.withResolvers<string>()
  // Nobody may ask for it before the webhook could not be made.
  secret.promise.catch(() => undefined)
  const receiver = await startReceiver(
    options.port,
    () => secret.promise,
    (received) => cli.output().item(received, (look) => drawReceived(received, look)),
  )
  let webhook: NewWebhook | undefined
  try {
    const address = options.url ?? `http://127.0.0.1:${receiver.port}/`
    webhook = given === undefined ? await makeWebhook(cli, address, options) : undefined
    secret.resolve(webhook?.secret ?? given ?? '')
    cli.output().note(({ paint }) => {
      const from = webhook ? `, by the webhook ${webhook.id} to ${webhook.url}` : ''
      return paint('gray', `Listening on 127.0.0.1:${receiver.port}${from}. Ctrl-C ends it.`)
    })
    if (!cli.interrupted.aborted) await once(cli.interrupted, 'abort')
  } finally {
    await receiver.close()
    if (webhook) await deleteWebhook(cli, webhook.id)
  }
}

/** What it throws after Ctrl-C nobody would hear of, so it is said here. */
async function deleteWebhook({ environment, output }: Cli, id: string): Promise<void> {
  try {
    // Without the signal: it has been aborted.
    const { webhooks } = await connect({ environment })
    await webhooks.delete(id)
  } catch (error) {
    if (error instanceof NotFoundError) return
    output().warning(
      `The webhook ${id} could not be deleted: ${printable(sentenceOf(error))} By hand: reelkeep webhooks delete ${id}`,
    )
  }
}

/** There is no option for the secret itself: everybody on the machine sees what stands on a command line. */
async function givenSecret(cli: Cli): Promise<string> {
  const secret = cli.environment['REELKEEP_WEBHOOK_SECRET'] || (await readStdin(cli)).trim()
  if (!secret)
    throw new CommandError(
      'There is no secret in REELKEEP_WEBHOOK_SECRET, nor on stdin.',
      exitCodes.usage,
    )
  await assertUsable(secret)
  return secret
}

/** A request without headers is not signed, whatever the secret; with one that is none, that is told first. */
async function assertUsable(secret: string): Promise<void> {
  await verifyWebhook('', {}, secret).catch((error: Error) => {
    if (!(error instanceof SignatureError)) throw new CommandError(error.message, exitCodes.usage)
  })
}

async function makeWebhook(cli: Cli, url: string, { types }: Options): Promise<NewWebhook> {
  // Not to be broken off half way: a webhook that was made must be known, or nobody deletes it.
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
        `The service does not post to ${url}: ${error.message}`,
        exitCodes.usage,
        `Have a tunnel lead to the port and say --port PORT --url https://…, or let the service reach this machine: WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8`,
      )
    throw error
  }
}

function drawReceived(received: Received, look: Look): string {
  const { paint, columns } = look
  // The mark and a space stand in front.
  const beside = { ...look, columns: columns && columns - 2 }
  return received.verified
    ? `${paint('green', '✓')} ${drawEvent(received.event, beside)}`
    : `${paint('red', '✗')} ${received.status}  ${printable(received.why)}`
}
