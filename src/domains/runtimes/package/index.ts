export { DEPLOYMENT_ANNOTATION, unpack, type PackagedRuntime, type UnpackedPackage } from './package.ts'
