export { echoController, type EchoController, type EchoControllerOptions } from './controller.ts'
export { Echo } from './echo.ts'
export { replays } from './replay.ts'
