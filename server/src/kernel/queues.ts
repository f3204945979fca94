/** Names of the job queues, one per kind of resource that jobs compete for. */
export const queueNames = ['light', 'probe', 'encode', 'extras'] as const

export type QueueName = (typeof queueNames)[number]
