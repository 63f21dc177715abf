import { JsonText } from './answer'

/** Renders the output of a route as JSON text. */
export const renderOutput = (output: JsonText | object): JsonText =>
  output instanceof JsonText ? output : new JsonText(JSON.stringify(output))
