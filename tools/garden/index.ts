export { startGarden, type Garden, type GardenOptions } from './garden.ts'
export { endpointOf, type ShootEndpoint } from './shoot-access.ts'
