#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energies, forces and a few steps of OpenMM's OpenCL platform against its reference platform."""
import random
import sys

try:
    import openmm
except ImportError as absent:
    print(f"skipped: {absent}")
    sys.exit(77)

openmm.Platform.loadPluginsFromDirectory("/usr/lib/x86_64-linux-gnu/openmm/plugins")
if "OpenCL" not in [openmm.Platform.getPlatform(i).getName() for i in range(openmm.Platform.getNumPlatforms())]:
    print("skipped: OpenMM has no OpenCL platform")
    sys.exit(77)

SIDE, SPACING = 5, 0.43
COUNT, BOX = SIDE**3, SIDE * SPACING
ALL = range(COUNT)


def charge(i):
    return 0.2 if i % 2 else -0.2


def nonbonded(method):
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(getattr(force, method))
    force.setCutoffDistance(0.9)
    for i in ALL:
        force.addParticle(charge(i), 0.3, 0.5)
    return force


def bonded(system):
    bonds, angles, torsions = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce(), openmm.PeriodicTorsionForce()
    maps = openmm.CMAPTorsionForce()
    maps.addMap(8, [i * 37 % 64 / 64 for i in range(64)])
    for i in range(0, COUNT - 8, 4):
        bonds.addBond(i, i + 1, 0.4, 1000)
        angles.addAngle(i, i + 1, i + 2, 1.9, 100)
        torsions.addTorsion(i, i + 1, i + 2, i + 3, 2, 0.5, 3)
        maps.addTorsion(0, *range(i, i + 8))
    for force in (bonds, angles, torsions, maps):
        system.addForce(force)


def solvent(system):
    force = openmm.GBSAOBCForce()
    for i in ALL:
        force.addParticle(charge(i), 0.15, 0.8)
    system.addForce(force)


def custom(system):
    born = openmm.CustomGBForce()
    for name in ("q", "radius"):
        born.addPerParticleParameter(name)
    born.addComputedValue("I", "step(r-0.05)/(r^2+radius1*radius2)", born.ParticlePairNoExclusions)
    born.addComputedValue("B", "1/(1/radius-tanh(0.5*I))", born.SingleParticle)
    born.addEnergyTerm("-q1*q2/sqrt(r^2+B1*B2)", born.ParticlePair)
    triples = openmm.CustomManyParticleForce(3, "0.001*(1+cos(angle(p1,p2,p3)))/(distance(p1,p2)*distance(p1,p3))^3")
    triples.setPermutationMode(triples.SinglePermutation)
    triples.setNonbondedMethod(triples.CutoffNonPeriodic)
    triples.setCutoffDistance(0.6)
    for i in ALL:
        born.addParticle([charge(i), 0.2])
        triples.addParticle([])
    system.addForce(born)
    system.addForce(triples)


def constrained(system):
    for i in range(0, COUNT - 1, 2):
        system.addConstraint(i, i + 1, 0.4)
    system.addForce(nonbonded("CutoffPeriodic"))


SYSTEMS = {
    "cut-off": lambda system: system.addForce(nonbonded("CutoffPeriodic")),
    "Ewald": lambda system: system.addForce(nonbonded("Ewald")),
    "particle mesh": lambda system: system.addForce(nonbonded("LJPME")),
    "bonds": bonded,
    "solvent": solvent,
    "custom": custom,
    "constraints": constrained,
}

random.seed(1)
POSITIONS = [openmm.Vec3(*(axis * SPACING + random.random() * 0.05 for axis in (i % SIDE, i // SIDE % SIDE, i // SIDE**2))) for i in ALL]


def numbers(vectors):
    return [component for vector in vectors for component in vector]


def run(platform, precision, fill):
    system = openmm.System()
    system.setDefaultPeriodicBoxVectors((BOX, 0, 0), (0, BOX, 0), (0, 0, BOX))
    for _ in ALL:
        system.addParticle(12)
    fill(system)
    properties = {"Precision": precision} if platform == "OpenCL" else {}
    integrator = openmm.VerletIntegrator(0.0005)
    context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(POSITIONS)
    context.applyConstraints(1e-6)
    state = context.getState(getEnergy=True, getForces=True)
    integrator.step(3)
    after = context.getState(getPositions=True)
    return state.getPotentialEnergy()._value, numbers(state.getForces()._value), numbers(after.getPositions()._value)


failed = 0
for name, fill in SYSTEMS.items():
    energy, forces, positions = run("Reference", "", fill)
    largest = max(map(abs, forces))
    for precision, tolerance in (("single", 2e-4), ("double", 2e-5)):
        got = run("OpenCL", precision, fill)
        apart = max(abs(got[0] - energy) / max(1, abs(energy)), max(abs(a - b) for a, b in zip(got[1], forces)) / largest,
                    max(abs(a - b) for a, b in zip(got[2], positions)))
        if not apart <= tolerance:
            print(f"FAILED  {name}, {precision}: {apart} apart, allowed {tolerance}")
            failed = 1
print(f"{len(SYSTEMS)} systems compared")
sys.exit(failed)
