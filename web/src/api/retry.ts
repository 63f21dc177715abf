import { ApiError } from './errors'

/** Sends again after each of the delays while the service refuses with this status. Then throws the refusal. */
export async function retryOn<T>(
  status: number,
  delaysMs: readonly number[],
  send: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (const delay of delaysMs) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== status) throw error
      await new Promise((resolve) => setTimeout(resolve, delay))
      signal?.throwIfAborted()
    }
  }
  return send()
}
