import { JsonText } from './answer'

/** What a route hands back, as the text it becomes. */
export const asJson = (output: JsonText | object): JsonText =>
  output instanceof JsonText ? output : new JsonText(JSON.stringify(output))
