// How far one state is from another: bits, joints, bodies, classes, words.
#include "mj_help.h"

#include <limits>

namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string joint_model() {
  return "<mujoco><compiler angle='radian'/><worldbody>"
         "<body name='base'><joint name='hinge' axis='0 1 0'/><geom size='.1'/>"
         "<body name='tip' pos='2 0 0'><joint name='ball' type='ball'/><geom size='.1'/></body>"
         "</body><body name='cart' pos='0 3 0'><joint name='slide' type='slide' axis='1 0 0'/>"
         "<geom size='.1'/></body>"
         "<body name='cup' pos='0 0 3'><freejoint name='cup'/><geom size='.1'/></body>"
         "<body name='hand' mocap='true' pos='1 1 1'><geom size='.1'/></body></worldbody>"
         "<equality><weld body1='hand' body2='cup' active='false'/></equality>"
         "<actuator><motor name='push' joint='slide'/><general name='muscle' joint='hinge' "
         "dyntype='filter' dynprm='.1'/></actuator></mujoco>";
}

struct Divergence : testing::Test {
  enum { HINGE, BALL, SLIDE, CUP };
  ph_model *model = help_model(joint_model());
  ph_divergence *d = nullptr;
  ph_sim *sim = nullptr;
  HelpRow *a = nullptr, *b = nullptr;
  ph_difference out;
  ph_tolerance tol = ph_tolerance_default();

  void SetUp() override {
    ASSERT_EQ(PH_OK, ph_divergence_create(&d, model, nullptr, 0)) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model));
    ASSERT_EQ(PH_OK, ph_sim_forward(sim));
    a = new HelpRow(sim);
    b = new HelpRow(sim);
  }
  void TearDown() override {
    delete a;
    delete b;
    ph_sim_free(sim);
    ph_divergence_free(d);
    ph_model_unref(model);
  }
  double *qpos(HelpRow *row, int joint) {
    return row->data[PH_COL_STATES].data() + 1 + ph_model_joint(model, joint)->qposadr;
  }
  double *qvel(HelpRow *row, int joint) {
    return row->data[PH_COL_STATES].data() + 1 + ph_model_dims(model)->nq +
           ph_model_joint(model, joint)->dofadr;
  }
  void compare(bool bodies = true) {
    ASSERT_EQ(PH_OK, ph_divergence_compare(d, &a->row, &b->row, bodies, &tol, &out)) << ph_error();
  }
  std::string text(ph_measure m) {
    char line[200];
    ph_difference_text(&out, model, m, line, sizeof line);
    return line;
  }
  static void turn(double *q, double x, double y, double z, double angle) {
    double s = std::sin(angle / 2), w = std::cos(angle / 2);
    double p[4] = {q[0], q[1], q[2], q[3]}, r[4] = {w, s * x, s * y, s * z};
    q[0] = p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3];
    q[1] = p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2];
    q[2] = p[0] * r[2] + p[2] * r[0] + p[3] * r[1] - p[1] * r[3];
    q[3] = p[0] * r[3] + p[3] * r[0] + p[1] * r[2] - p[2] * r[1];
  }
};

TEST_F(Divergence, EqualBitsAreZeroEverywhere) {
  compare();
  EXPECT_TRUE(out.equal && out.ctrl_equal && out.memory_equal);
  EXPECT_EQ(PH_BITWISE, out.cls);
  EXPECT_EQ(PH_COL_COUNT, out.unequal);
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    EXPECT_EQ(0, out.max[m]);
    EXPECT_EQ(-1, out.worst[m]);
  }
  EXPECT_EQ(PH_MEASURE_COUNT, ph_difference_worst(&out, nullptr));
  size_t n;
  const ph_joint_error *joints = ph_divergence_joints(d, &n);
  ASSERT_EQ(4u, n);
  EXPECT_EQ(0, joints[HINGE].rad);
  EXPECT_TRUE(std::isnan(joints[HINGE].m));
  EXPECT_TRUE(std::isnan(joints[SLIDE].rad_s));
  EXPECT_TRUE(joints[CUP].equal);
  EXPECT_NE(nullptr, ph_divergence_bodies(d, &n));
  EXPECT_EQ(6u, n);
  EXPECT_EQ("no error", text(PH_MEASURE_JOINT_ANGLE));
}

TEST_F(Divergence, AHingeTurnedIsNamedWithItsBodies) {
  *qpos(b, HINGE) += 4.1e-3;
  compare();
  EXPECT_FALSE(out.equal);
  EXPECT_EQ(PH_COL_STATES, out.unequal);
  EXPECT_EQ(1 + ph_model_joint(model, HINGE)->qposadr, out.element);
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_DOUBLE_EQ(4.1e-3, out.max[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ(HINGE, out.worst[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ("hinge 4.1e-3 rad", text(PH_MEASURE_JOINT_ANGLE));
  EXPECT_EQ("tip 8.2e-3 m", text(PH_MEASURE_BODY_PLACE));
  EXPECT_NEAR(4.1e-3, out.max[PH_MEASURE_BODY_ANGLE], 1e-12);
  EXPECT_EQ(0, out.max[PH_MEASURE_JOINT_PLACE]);
  EXPECT_EQ(PH_MEASURE_BODY_PLACE, ph_difference_worst(&out, &tol));
  size_t n;
  const ph_joint_error *joints = ph_divergence_joints(d, &n);
  EXPECT_DOUBLE_EQ(4.1e-3, joints[HINGE].rad);
  EXPECT_FALSE(joints[HINGE].equal);
  EXPECT_TRUE(joints[BALL].equal && joints[SLIDE].equal && joints[CUP].equal);
  const ph_body_error *bodies = ph_divergence_bodies(d, &n);
  EXPECT_NEAR(2 * 2 * std::sin(4.1e-3 / 2), bodies[ph_model_find(model, PH_BODY, "tip")].m, 1e-12);
  EXPECT_EQ(0, bodies[ph_model_find(model, PH_BODY, "cup")].m);
}

TEST_F(Divergence, RotationsAreAngles) {
  for (double angle : {1e-8, 1e-3, 0.5, 2.0, 3.1}) {
    double q[4] = {.5, .5, -.5, .5};
    memcpy(qpos(a, BALL), q, sizeof q);
    turn(q, 0.6, 0, 0.8, angle);
    memcpy(qpos(b, BALL), q, sizeof q);
    compare();
    EXPECT_NEAR(angle, out.max[PH_MEASURE_JOINT_ANGLE], 1e-14 + 1e-8 * angle);
    EXPECT_EQ(BALL, out.worst[PH_MEASURE_JOINT_ANGLE]);
    std::vector<double> tangent(static_cast<size_t>(sim->m->nv));
    mj_differentiatePos(sim->m, tangent.data(), 1, a->data[PH_COL_STATES].data() + 1,
                        b->data[PH_COL_STATES].data() + 1);
    int dof = ph_model_joint(model, BALL)->dofadr;
    EXPECT_NEAR(mju_norm3(&tangent[static_cast<size_t>(dof)]), out.max[PH_MEASURE_JOINT_ANGLE],
                1e-14);
  }
}

TEST_F(Divergence, AFreeJointHasBoth) {
  double *q = qpos(b, CUP);
  q[0] += 3e-4;
  q[1] += 4e-4;
  turn(q + 3, 0, 0, 1, 2e-4);
  qvel(b, CUP)[2] += 0.02;
  qvel(b, CUP)[4] += 0.05;
  compare();
  EXPECT_EQ(PH_CLOSE, out.cls);
  EXPECT_NEAR(5e-4, out.max[PH_MEASURE_JOINT_PLACE], 1e-15);
  EXPECT_NEAR(2e-4, out.max[PH_MEASURE_JOINT_ANGLE], 1e-12);
  EXPECT_NEAR(5e-4, out.max[PH_MEASURE_BODY_PLACE], 1e-15);
  EXPECT_EQ(0.02, out.max[PH_MEASURE_JOINT_PLACE_SPEED]);
  EXPECT_EQ(0.05, out.max[PH_MEASURE_JOINT_ANGLE_SPEED]);
  EXPECT_EQ("cup 5.0e-2 rad/s", text(PH_MEASURE_JOINT_ANGLE_SPEED));
  EXPECT_EQ(PH_MEASURE_JOINT_PLACE, ph_difference_worst(&out, &tol));
}

TEST_F(Divergence, TheNegatedQuaternionIsTheSameRotation) {
  double q[4] = {.5, .5, -.5, .5};
  memcpy(qpos(a, BALL), q, sizeof q);
  for (int i = 0; i < 4; i++)
    qpos(b, BALL)[i] = -q[i];
  compare();
  EXPECT_FALSE(out.equal);
  EXPECT_EQ(PH_ROUNDING, out.cls);
  EXPECT_EQ(0, out.max[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_LT(out.max[PH_MEASURE_BODY_ANGLE], 1e-15);
}

TEST_F(Divergence, LengthOfAQuaternionDoesNotCount) {
  for (int i = 0; i < 4; i++)
    qpos(b, BALL)[i] *= 1.5;
  compare();
  EXPECT_EQ(0, out.max[PH_MEASURE_JOINT_ANGLE]);
  for (int i = 0; i < 4; i++) /* without one it is no rotation, as the engine has it */
    qpos(b, BALL)[i] = 0;
  compare();
  EXPECT_EQ(0, out.max[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ(0, out.max[PH_MEASURE_BODY_ANGLE]);
}

TEST_F(Divergence, ASlideIsAPlace) {
  *qpos(b, SLIDE) = 0.25;
  *qvel(b, SLIDE) = -3;
  compare();
  EXPECT_EQ(0.25, out.max[PH_MEASURE_JOINT_PLACE]);
  EXPECT_EQ(0.25, out.max[PH_MEASURE_BODY_PLACE]);
  EXPECT_EQ(3, out.max[PH_MEASURE_JOINT_PLACE_SPEED]);
  EXPECT_EQ(0, out.max[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ("slide 0.25 m", text(PH_MEASURE_JOINT_PLACE));
  EXPECT_EQ("cart 0.25 m", text(PH_MEASURE_BODY_PLACE));
}

TEST_F(Divergence, NoiseIsRounding) {
  *qpos(b, HINGE) += 1e-12;
  *qpos(b, SLIDE) -= 9e-10;
  tol = {};
  compare();
  EXPECT_EQ(PH_ROUNDING, out.cls);
  *qpos(b, SLIDE) = *qpos(a, SLIDE) + 2e-9;
  compare();
  EXPECT_EQ(PH_DIVERGED, out.cls) << "a tolerance of zero";
  tol = ph_tolerance_default();
  compare();
  EXPECT_EQ(PH_CLOSE, out.cls);
}

TEST_F(Divergence, ANumberThatIsNoneDiverges) {
  *qpos(b, HINGE) = kNaN;
  *qpos(b, SLIDE) = 1;
  compare();
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_TRUE(std::isnan(out.max[PH_MEASURE_JOINT_ANGLE]));
  EXPECT_EQ(HINGE, out.worst[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ(1, out.max[PH_MEASURE_JOINT_PLACE]);
  EXPECT_TRUE(std::isnan(out.max[PH_MEASURE_BODY_PLACE])) << "no bodies of such a state";
  EXPECT_EQ(-1, out.worst[PH_MEASURE_BODY_PLACE]);
  EXPECT_EQ("hinge is no number", text(PH_MEASURE_JOINT_ANGLE));
  EXPECT_EQ("not known", text(PH_MEASURE_BODY_PLACE));
  EXPECT_EQ(PH_MEASURE_JOINT_ANGLE, ph_difference_worst(&out, &tol));
  *qpos(b, HINGE) = std::numeric_limits<double>::infinity();
  compare();
  EXPECT_EQ(PH_DIVERGED, out.cls);
  *qpos(a, HINGE) = *qpos(b, HINGE) = kNaN;
  *qpos(b, SLIDE) = 0;
  compare();
  EXPECT_EQ(PH_BITWISE, out.cls) << "the same bits in both";
  /* of the quaternions too, and of time */
  *qpos(a, HINGE) = *qpos(b, HINGE) = 0;
  qpos(b, BALL)[2] = kNaN;
  compare();
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_EQ(BALL, out.worst[PH_MEASURE_JOINT_ANGLE]);
  qpos(b, BALL)[2] = 0;
  b->data[PH_COL_STATES][0] = kNaN;
  compare();
  EXPECT_EQ(PH_DIVERGED, out.cls);
}

TEST_F(Divergence, WithoutBodiesTheyAreNotKnown) {
  *qpos(b, HINGE) += 1e-2;
  compare(false);
  size_t n = 7;
  EXPECT_EQ(nullptr, ph_divergence_bodies(d, &n));
  EXPECT_EQ(0u, n);
  EXPECT_TRUE(std::isnan(out.max[PH_MEASURE_BODY_PLACE]));
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_EQ(PH_MEASURE_JOINT_ANGLE, ph_difference_worst(&out, &tol));
  *qpos(b, HINGE) = *qpos(a, HINGE) + 1e-4;
  compare(false);
  EXPECT_EQ(PH_CLOSE, out.cls) << "what is not known makes no class";
}

TEST_F(Divergence, ControlsStandApart) {
  b->data[PH_COL_CTRL][1] = 100;
  compare();
  EXPECT_TRUE(out.equal);
  EXPECT_FALSE(out.ctrl_equal);
  EXPECT_EQ(PH_ROUNDING, out.cls) << "not bitwise, and no worse for that";
  EXPECT_EQ(100, out.max[PH_MEASURE_CTRL]);
  EXPECT_EQ("muscle 100", text(PH_MEASURE_CTRL));
  EXPECT_EQ(PH_COL_CTRL, out.unequal);
  EXPECT_EQ(1, out.element);
  EXPECT_EQ(PH_MEASURE_COUNT, ph_difference_worst(&out, &tol));
  b->row.ctrl = nullptr;
  compare();
  EXPECT_TRUE(out.ctrl_equal);
  EXPECT_EQ(PH_BITWISE, out.cls) << "what one of them does not have is not compared";
}

TEST_F(Divergence, ActivationsAreOfTheirActuator) {
  b->data[PH_COL_STATES][static_cast<size_t>(1 + sim->m->nq + sim->m->nv)] = 0.5;
  compare();
  EXPECT_EQ("muscle 0.5", text(PH_MEASURE_ACT));
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_EQ(PH_MEASURE_ACT, ph_difference_worst(&out, &tol));
}

TEST_F(Divergence, OtherComponentsHaveNoTolerance) {
  b->data[PH_COL_WARMSTART][2] = 1e3;
  compare();
  EXPECT_FALSE(out.equal);
  EXPECT_EQ(PH_ROUNDING, out.cls) << "where the solver begins";
  EXPECT_EQ(PH_COL_WARMSTART, out.unequal);
  EXPECT_EQ(2, out.element);
  b->data[PH_COL_STATES][0] += 0.02;
  compare();
  EXPECT_EQ(PH_CLOSE, out.cls) << "another time";
  EXPECT_EQ(PH_COL_STATES, out.unequal);
  b->data[PH_COL_STATES][0] = a->data[PH_COL_STATES][0];
  reinterpret_cast<uint8_t *>(b->data[PH_COL_EQ_ACTIVE].data())[0] ^= 1;
  compare();
  EXPECT_EQ(PH_CLOSE, out.cls) << "a weld that is on";
  b->data[PH_COL_XFRC_APPLIED][3] = 1e-10;
  reinterpret_cast<uint8_t *>(b->data[PH_COL_EQ_ACTIVE].data())[0] ^= 1;
  compare();
  EXPECT_EQ(PH_ROUNDING, out.cls);
}

TEST_F(Divergence, MocapBodiesAreBodies) {
  b->data[PH_COL_MOCAP_POS][1] += 0.5;
  compare();
  EXPECT_EQ("hand 0.5 m", text(PH_MEASURE_BODY_PLACE));
  EXPECT_EQ(PH_DIVERGED, out.cls);
  EXPECT_EQ(PH_MEASURE_BODY_PLACE, ph_difference_worst(&out, &tol));
  a->row.mocap_pos = nullptr;
  *qpos(b, SLIDE) = 1e-4;
  compare();
  EXPECT_EQ(PH_CLOSE, out.cls) << "not compared, neither by what it moves";
}

TEST_F(Divergence, MemoryIsComparedWhereItsLengthIsKnown) {
  double x[] = {1, 2}, y[] = {1, 3};
  a->row.action_state = x;
  b->row.action_state = y;
  compare();
  EXPECT_TRUE(out.memory_equal);
  ph_divergence_set_memory(d, 2);
  compare();
  EXPECT_FALSE(out.memory_equal);
  EXPECT_TRUE(out.equal);
  EXPECT_EQ(PH_ROUNDING, out.cls);
  EXPECT_EQ(PH_COL_ACTION_STATE, out.unequal);
  EXPECT_EQ(1, out.element);
  y[1] = 2;
  compare();
  EXPECT_EQ(PH_BITWISE, out.cls);
}

TEST_F(Divergence, RefusesARowWithoutAState) {
  ph_row empty = {};
  EXPECT_EQ(PH_EINVAL, ph_divergence_compare(d, &empty, &b->row, true, nullptr, &out));
  EXPECT_EQ(PH_EINVAL, ph_divergence_compare(d, &a->row, &empty, true, nullptr, &out));
}

TEST_F(Divergence, EditsOfTheResetCount) {
  std::vector<double> pos(3 * static_cast<size_t>(sim->m->nbody));
  memcpy(pos.data(), sim->m->body_pos, pos.size() * sizeof(double));
  pos[3 * static_cast<size_t>(ph_model_find(model, PH_BODY, "tip"))] = 4; /* twice as far out */
  ph_edit edit = {"body_pos", PH_F64, {sim->m->nbody, 3}, pos.data()};
  ph_divergence *edited = nullptr;
  ASSERT_EQ(PH_OK, ph_divergence_create(&edited, model, &edit, 1)) << ph_error();
  *qpos(b, HINGE) += 1e-3;
  EXPECT_EQ(PH_OK, ph_divergence_compare(edited, &a->row, &b->row, true, nullptr, &out));
  EXPECT_EQ("tip 4.0e-3 m", text(PH_MEASURE_BODY_PLACE));
  ph_divergence_free(edited);
}

TEST(DivergenceNames, OfMeasuresAndClasses) {
  EXPECT_STREQ("joint angle", ph_measure_name(PH_MEASURE_JOINT_ANGLE));
  EXPECT_STREQ("rad/s", ph_measure_unit(PH_MEASURE_JOINT_ANGLE_SPEED));
  for (int i = 0; i < PH_CLASS_COUNT; i++) {
    ph_class c;
    ASSERT_TRUE(ph_class_from_name(ph_class_name(static_cast<ph_class>(i)), &c));
    EXPECT_EQ(i, c);
  }
  ph_class c;
  EXPECT_FALSE(ph_class_from_name("exact", &c));
  EXPECT_LT(PH_BITWISE, PH_ROUNDING);
  EXPECT_LT(PH_ROUNDING, PH_CLOSE);
  EXPECT_LT(PH_CLOSE, PH_DIVERGED);
}

std::string tolerance_text(const ph_tolerance &t) {
  char text[120];
  ph_tolerance_text(&t, text, sizeof text);
  return text;
}

TEST(Tolerance, ReadsAndWrites) {
  ph_tolerance t = ph_tolerance_default();
  EXPECT_EQ("1 mm, 1 mrad, 0.1 m/s", tolerance_text(t));
  ASSERT_EQ(PH_OK, ph_tolerance_parse(&t, "pos=2e-3, vel = 0.5"));
  EXPECT_EQ(2e-3, t.of[PH_MEASURE_JOINT_PLACE]);
  EXPECT_EQ(2e-3, t.of[PH_MEASURE_BODY_PLACE]);
  EXPECT_EQ(1e-3, t.of[PH_MEASURE_JOINT_ANGLE]);
  EXPECT_EQ(0.5, t.of[PH_MEASURE_JOINT_ANGLE_SPEED]);
  EXPECT_EQ(0.5, t.of[PH_MEASURE_JOINT_PLACE_SPEED]);
  EXPECT_TRUE(std::isinf(t.of[PH_MEASURE_CTRL]));
  ASSERT_EQ(PH_OK, ph_tolerance_parse(&t, "rot=5e-6,act=0"));
  EXPECT_EQ(5e-6, t.of[PH_MEASURE_BODY_ANGLE]);
  EXPECT_EQ(0, t.of[PH_MEASURE_ACT]);
  EXPECT_EQ("2 mm, 5 urad, 0.5 m/s, activation 0", tolerance_text(t));
  ASSERT_EQ(PH_OK, ph_tolerance_parse(&t, "0.25"));
  EXPECT_EQ(0.25, t.of[PH_MEASURE_JOINT_PLACE]);
  EXPECT_EQ(0.25, t.of[PH_MEASURE_BODY_ANGLE]);
  EXPECT_EQ(0.5, t.of[PH_MEASURE_JOINT_PLACE_SPEED]);
  EXPECT_EQ("0.25 m, 0.25 rad, 0.5 m/s, activation 0", tolerance_text(t));
}

TEST(Tolerance, RefusesWhatIsNone) {
  for (const char *bad :
       {"", " ", "pos", "pos=", "pos=x", "pos=-1", "pos=nan", "inf", "turn=1", "pos=1;rot=2", "1,",
        "1 2", "pos=1,,rot=2", ",1", "ctrl=1", "position=1", "pos=1e400"}) {
    ph_tolerance t = ph_tolerance_default(), before = t;
    EXPECT_EQ(PH_EINVAL, ph_tolerance_parse(&t, bad)) << bad;
    EXPECT_EQ(0, memcmp(&t, &before, sizeof t)) << bad;
  }
  ph_tolerance t = ph_tolerance_default();
  for (auto [text, name] : {std::pair{"pos=1,pos=2", "pos"},
                            {"vel=1, rot=2 ,vel=1", "vel"},
                            {"1,rot=2", "rot"},
                            {"pos=2,1", "pos"}}) {
    ph_tolerance before = t;
    EXPECT_EQ(PH_EINVAL, ph_tolerance_parse(&t, text)) << text;
    EXPECT_NE(nullptr, strstr(ph_error(), (std::string(name) + " is given twice").c_str()))
        << ph_error();
    EXPECT_EQ(0, memcmp(&before, &t, sizeof t)) << "nothing of it is taken";
  }
  ph_tolerance_parse(&t, "pos=1,turn=2");
  EXPECT_NE(nullptr, strstr(ph_error(), "turn=2")) << ph_error();
}

} // namespace
